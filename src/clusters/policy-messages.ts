/** The request for the policy snapshot, and the headers of the control object's response. */
import type { QuestionForm } from './message-forms.ts'
import { hasOperation, type Operation, operationInit, operationOf } from './operation.ts'

/** The header of the control object's response if the snapshot is settled. */
export const settledHeader = 'edgeplane-settled'

/** The header of the response with the AccountFacts of the account that was asked for, or null. */
export const accountHeader = 'edgeplane-account'

/** The header of a response to the read that came with the request: the snapshot of the Worker is current. */
export const readAheadHeader = 'edgeplane-read-ahead'

/**
 * The state that the control object must have reached before it responds. `committed`: all acknowledged commits. `settled`: also
 * the names of all CustomResourceDefinitions in them have been accepted or rejected. Only requests for definitions wait for the
 * second.
 */
export type State = 'committed' | 'settled'

/** Asks for the parts of the snapshot that have changed. */
export interface PolicyQuestion {
  /** The versions of the parts that the sender has, by their names. */
  readonly versions: Readonly<Record<string, string>>
  readonly state: State
  /** The namespace, name and uid of a ServiceAccount to find, as JSON. */
  readonly account?: string | undefined
  /** A read that is answered instead if no part has changed. */
  readonly read?: Operation | undefined
}

const stateParameter = 'state'
const accountParameter = 'account'

/** Everything in the query, and the read as that of an operation. */
export const policyQuestion: QuestionForm<PolicyQuestion> = {
  write: ({ versions, state, account, read }) => {
    const query = new URLSearchParams({ ...versions, [stateParameter]: state })
    if (account !== undefined) query.set(accountParameter, account)
    return { query, ...(read !== undefined && { headers: operationInit(read).headers }) }
  },
  read: (request) => {
    const {
      [stateParameter]: state,
      [accountParameter]: account,
      ...versions
    } = Object.fromEntries(new URL(request.url).searchParams)
    return {
      versions,
      state: state === 'settled' ? state : 'committed',
      account,
      ...(hasOperation(request) && { read: operationOf(request) }),
    }
  },
}
