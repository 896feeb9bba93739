/** The entries of a Durable Object's key-value storage that follow from its objects, its release or its settings. */
import { failurePrefix } from './alarms.ts'
import { markerKey } from './bootstrap/marker.ts'
import { useKey } from './cluster/use.ts'
import { derivedPartPrefix } from './policy-parts.ts'
import { usedKey } from './resource-quota/collection-usage.ts'
import { reservationKey } from './resource-quota/ledger.ts'
import { modeKey } from './resource-quota/wiring.ts'
import { certificateKey } from './service-account/root-certificate.ts'

/** Reservations of quota are of writes that have ended; without the mode, the use of all quotas is counted again. */
const derivedPrefixes: readonly string[] = [
  failurePrefix,
  derivedPartPrefix,
  markerKey,
  certificateKey,
  reservationKey,
  usedKey,
  modeKey,
  useKey,
]

/** Whether an entry is made again when it is missing: backups do not contain it. */
export const isDerivedKey = (key: string): boolean => derivedPrefixes.some((prefix) => key.startsWith(prefix))
