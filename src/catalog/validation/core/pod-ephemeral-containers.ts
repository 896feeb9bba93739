/** Checks of changes of a Pod's ephemeral containers. Follows ValidatePodEphemeralContainersUpdate of k8s.io/kubernetes. */
import { jsonDifference } from '../../../go/unified-diff.ts'
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { Field, Type } from '../../../schema/type.ts'
import type { Container, Pod } from '../../generated/types/core.v1.ts'
import { typeOf } from '../../scheme.ts'
import { Errors, isSame } from '../checks.ts'
import { checkPodSpec } from '../pod/pod-spec.ts'

/** The annotation of a mirror Pod, which represents a static Pod that the kubelet reads from a file. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror'

const field = 'spec.ephemeralContainers'

/** Fields whose Go name is not their JSON name with a capital first letter. */
const goNames: Readonly<Record<string, string>> = { tty: 'TTY' }

const goName = (name: string): string => goNames[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Returns the value that Go prints for a field that is not set. */
function zeroOf({ type, pointer }: Field): unknown {
  if (pointer || type.kind === 'list' || type.kind === 'map') return null
  if (type.kind === 'struct') return goValue(type, {})
  if (type.kind === 'boolean') return false
  return type.kind === 'string' ? '' : 0
}

/** Converts a value to the form of its internal type: all fields, under Go's names. */
function goValue(type: Type, value: unknown): unknown {
  if (type.kind === 'list' && Array.isArray(value)) return value.map((element) => goValue(type.element, element))
  if (type.kind !== 'struct' || typeof value !== 'object' || value === null) return value
  const given = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    [...type.fields.values()].map((of) => {
      const inner = given[of.name] ?? explicitEmpty(given, of.name)
      return [goName(of.name), inner === undefined || inner === null ? zeroOf(of) : goValue(of.type, inner)]
    }),
  )
}

/** Checks that existing ephemeral containers are kept unchanged. New ones may be added. */
function checkKept(containers: readonly Container[], old: readonly Container[], errors: Errors): void {
  const type = typeOf('core/v1.EphemeralContainer')
  const byName = new Map(containers.map((container) => [container.name, container]))
  for (const before of old) {
    const now = byName.get(before.name)
    const existing = `existing ephemeral containers "${before.name}"`
    if (now === undefined) errors.forbidden(field, `${existing} may not be removed\n`)
    else if (!isSame(now, before)) {
      errors.push(
        forbiddenValue(field, `${existing} may not be changed\n${jsonDifference(goValue(type, before), goValue(type, now))}`),
      )
    }
  }
}

/** Validates an update of a Pod's ephemeral containers. */
export function validateEphemeralContainersUpdate({ metadata: meta, spec }: Pod, { metadata, spec: old }: Pod): FieldError[] {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbiddenValue('[]', 'static pods do not support ephemeral containers')]
  }
  const errors = new Errors()
  checkPodSpec(spec, meta, 'spec', errors)
  checkKept(spec.ephemeralContainers ?? [], old.ephemeralContainers ?? [], errors)
  return errors
}
