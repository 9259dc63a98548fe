/** Where a job under way is shown. */
export interface Screen {
  readonly isTerminal: boolean;
  /** A terminal that has colours, and whose owner does not refuse them with NO_COLOR. */
  readonly hasColours: boolean;
  readonly columns: number;
  readonly rows: number;
  /** As it is, since a view steers the terminal itself: what users and models wrote goes through `printable` first. */
  write(text: string): void;
}
