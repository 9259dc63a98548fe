/** Where a job under way is shown. */
export interface Screen {
  readonly isTerminal: boolean;
  /** A terminal that has colours, and whose owner does not refuse them with NO_COLOR. */
  readonly hasColours: boolean;
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}
