export { type Choices, choices } from './testing/choices.ts';
export { type Claim, type GoldenFiles, goldenClaims, goldenJournals } from './testing/golden-fold.ts';
export { copyOf, law, lawful } from './testing/lawful.ts';
export { OtherStory, same } from './testing/other-story.ts';
export { type Taken, takeTurn } from './testing/take-turn.ts';
export { type Compared, timeRatio } from './testing/time-ratio.ts';
