/** Calls from collections to the control object about quotas. */
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import type { InnerStub } from '../../clusters/protocol.ts'
import type { QuotaControl } from './quota-control.ts'

/** Returns the control object behind a stub. */
export const remoteQuotaControl = (control: InnerStub): QuotaControl => ({
  reserve: (message) => send(control, controlProtocol.reserveQuota, message),
  release: (reservation) => send(control, controlProtocol.releaseQuota, reservation),
  recount: (ranges) => send(control, controlProtocol.recountQuota, ranges),
})
