/** How CertificateSigningRequests are shown. */

import type { JsonObject } from '../../go/json-value.ts'
import { humanDuration } from '../../meta/human-duration.ts'
import { ageColumn, fieldOf, name, printer } from './column.ts'
import { textOr } from './format.ts'
import type { Printers } from './printer.ts'
import { child, condition, has, number, text } from './read.ts'

/** A denial goes before an approval; failure and the certificate are told beside it. */
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

/** Columns are described as in the version in which they were introduced. */
const FORMER = 'certificates/v1beta1.CertificateSigningRequest'

const certificateSigningRequests = printer([
  name,
  ageColumn,
  {
    name: 'SignerName',
    description: fieldOf(`${FORMER}Spec`, 'signerName'),
    cell: (object) => textOr(child(object, 'spec'), 'signerName', '<none>'),
  },
  {
    name: 'Requestor',
    description: fieldOf(`${FORMER}Spec`, 'request'),
    cell: (object) => text(child(object, 'spec'), 'username'),
  },
  {
    name: 'RequestedDuration',
    description: fieldOf('certificates/v1.CertificateSigningRequestSpec', 'expirationSeconds'),
    cell: requestedDuration,
  },
  {
    name: 'Condition',
    description: fieldOf(`${FORMER}Status`, 'conditions'),
    cell: state,
  },
])

export const certificatesPrinters: Printers = {
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequests,
}
