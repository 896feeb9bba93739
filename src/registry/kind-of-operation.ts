/** The kind of an operation's objects, as the release has it that the cluster emulates. */
import type { Kind } from '../catalog/kind.ts'
import { kindIn } from '../catalog/older-kinds.ts'
import type { Operation } from '../clusters/operation.ts'
import { resourceConfigOfText } from '../config/emulation.ts'

/** Returns the kind as it is in the release that the operation names. */
export const kindOfOperation = (kind: Kind, { emulation }: Pick<Operation, 'emulation'>): Kind =>
  emulation === undefined ? kind : kindIn(kind, resourceConfigOfText(emulation).release)
