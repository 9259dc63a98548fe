export { type GoldenJournal, goldenJournal } from './testing/golden-journal.ts';
export { type Fixture, type Golden, goldenMessages, goldenPath } from './testing/golden-messages.ts';
