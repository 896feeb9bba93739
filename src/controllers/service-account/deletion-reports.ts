/** Reports deletions of ServiceAccounts to the control object, which remembers the accounts of tokens. */
import { deletedAccountsPath } from '../../clusters/policy-messages.ts'
import { fetchInner } from '../../clusters/protocol.ts'
import type { Controller, ControllerContext } from '../controller.ts'

/** Returns the controller. All deletions that wait for the alarm are one report. */
export function deletionReportController({ collections }: ControllerContext): Controller {
  return {
    enqueue: ({ type, object }) =>
      type === 'DELETED' || object.value.includes('"deletionTimestamp":') ? 'accounts-deleted/' : undefined,
    reconcilers: {
      'accounts-deleted': async () => {
        await fetchInner(collections.control(), deletedAccountsPath, { method: 'POST' })
        return true
      },
    },
  }
}
