/** The data directory of a local server, unless an option names another one. */
export const defaultDataDirectory = '.edgeplane'
