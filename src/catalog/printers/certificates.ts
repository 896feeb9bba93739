/** Table columns of CertificateSigningRequests. */
import type { JsonObject } from '../../go/json-value.ts'
import { humanDuration } from '../../meta/human-duration.ts'
import { printersOf } from './column.ts'
import { textOr } from './format.ts'
import type { Printers } from './printer.ts'
import { child, condition, has, number, text } from './read.ts'

/** Returns the state: a denial takes precedence over an approval; failure and the issued certificate are appended. */
function state(request: JsonObject): string {
  const holds = (type: string): boolean => condition(request, type) !== undefined
  const decision = holds('Denied') ? 'Denied' : holds('Approved') ? 'Approved' : 'Pending'
  const failed = holds('Failed') ? ',Failed' : ''
  return `${decision}${failed}${text(child(request, 'status'), 'certificate') === '' ? '' : ',Issued'}`
}

function requestedDuration(request: JsonObject): string {
  const spec = child(request, 'spec')
  return has(spec, 'expirationSeconds') ? humanDuration(number(spec, 'expirationSeconds') * 1000) : '<none>'
}

export const certificatesPrinters: Printers = printersOf({
  'certificatesigningrequests.certificates.k8s.io': {
    SignerName: (object) => textOr(child(object, 'spec'), 'signerName', '<none>'),
    Requestor: (object) => text(child(object, 'spec'), 'username'),
    RequestedDuration: requestedDuration,
    Condition: state,
  },
})
