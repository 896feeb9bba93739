/** The printer of each kind. Other kinds are printed with their name and creation time. */
import type { KindFacts } from '../kind.ts'
import { admissionregistrationPrinters } from './admissionregistration.ts'
import { appsPrinters } from './apps.ts'
import { autoscalingPrinters } from './autoscaling.ts'
import { batchPrinters } from './batch.ts'
import { certificatesPrinters } from './certificates.ts'
import { clusterPrinters } from './cluster.ts'
import { corePrinters } from './core/core.ts'
import { defaultPrinter } from './default-printer.ts'
import { flowcontrolPrinters } from './flowcontrol.ts'
import { networkingPrinters } from './networking.ts'
import { optionalPrinters } from './optional.ts'
import { policyPrinters } from './policy.ts'
import type { Printer, Printers } from './printer.ts'
import { rbacPrinters } from './rbac.ts'
import { resourcePrinters } from './resource.ts'
import { storagePrinters } from './storage.ts'

const printers: Printers = {
  ...admissionregistrationPrinters,
  ...appsPrinters,
  ...autoscalingPrinters,
  ...batchPrinters,
  ...certificatesPrinters,
  ...clusterPrinters,
  ...corePrinters,
  ...flowcontrolPrinters,
  ...networkingPrinters,
  ...optionalPrinters,
  ...policyPrinters,
  ...rbacPrinters,
  ...resourcePrinters,
  ...storagePrinters,
}

/** Returns the printer of a kind. */
export function printerOf(kind: KindFacts): Printer {
  const { prefix } = kind.storage
  return Object.hasOwn(printers, prefix) ? (printers[prefix] ?? defaultPrinter) : defaultPrinter
}
