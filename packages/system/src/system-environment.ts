/** The variables this process was started with. Who needs one is handed them: nobody else reads them. */
export const systemEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;
