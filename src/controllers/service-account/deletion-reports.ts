/** Reports deletions of ServiceAccounts to the control object, which remembers the accounts of tokens. */
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'

/** All deletions that wait for the alarm are one report. */
export const deletionReports: Controller<Kernel> = {
  name: 'accounts-deleted',
  rows: 'outbox/accounts-deleted/',
  at: { group: '', resource: 'serviceaccounts' },
  open: ({ client }) => ({
    keys: ({ type, object }) => (type === 'DELETED' || object.value.includes('"deletionTimestamp":') ? [''] : []),
    reconcile: async () => {
      await send(client.control(), controlProtocol.accountsDeleted)
      return 'done'
    },
  }),
}
