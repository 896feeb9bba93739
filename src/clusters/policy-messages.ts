/** The names in the request for the policy snapshot and in the control object's response. */

/** The header of the control object's response if the snapshot is settled. */
export const settledHeader = 'edgeplane-settled'

/** The query parameter for a ServiceAccount, as JSON, and the header with its AccountFacts or null. */
export const accountParameter = 'account'
export const accountHeader = 'edgeplane-account'

/** The header of a response to the read that came with the request: the snapshot of the Worker is current. */
export const readAheadHeader = 'edgeplane-read-ahead'

/** The path of the control object that is told of deleted ServiceAccounts. */
export const deletedAccountsPath = '/deleted-accounts'

/** The query parameter of the control object for the State. */
export const stateParameter = 'state'
