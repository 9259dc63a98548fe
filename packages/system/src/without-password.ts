/** What is printed for people must not tell who they are to a server: whatever stands before the last @ of an address. */
export const withoutPassword = (text: string): string =>
  text
    .split(/,(?=[^@]*(?:@|$))/)
    .map((address) => address.replace(/^(\s*(?:\w+:\/\/)?).*@/, '$1***@'))
    .join(',');
