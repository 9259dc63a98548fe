export { type EmbeddedChoice, type EmbeddedWorld, embeddedWorld } from './embedded.ts';
