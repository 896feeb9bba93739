/** The prefix of the paths by which a deployment is administered. */
export const administrationPrefix = '/edgeplane/v1'
