/** Reports deletions of ServiceAccounts to the control object, which remembers the accounts of tokens. */
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import type { Controller, ControllerContext } from '../controller.ts'

/** Returns the controller. All deletions that wait for the alarm are one report. */
export function deletionReportController({ collections }: ControllerContext): Controller {
  return {
    enqueue: ({ type, object }) =>
      type === 'DELETED' || object.value.includes('"deletionTimestamp":') ? 'accounts-deleted/' : undefined,
    reconcilers: {
      'accounts-deleted': async () => {
        await send(collections.control(), controlProtocol.accountsDeleted)
        return true
      },
    },
  }
}
