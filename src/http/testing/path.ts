/** The prefix of the paths by which a test controls its clusters. They exist on a server for tests only. */
export const testingPath = '/edgeplane/testing/v1'
