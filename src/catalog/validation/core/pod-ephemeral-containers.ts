/** Checks of changes of a Pod's ephemeral containers. Follows ValidatePodEphemeralContainersUpdate of k8s.io/kubernetes. */
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import type { Container, Pod } from '../../shapes/pod.ts'
import { type Errors, isSame } from '../checks.ts'
import { checkPodSpec } from '../pod/pod-spec.ts'
import { jsonDiff } from '../text-diff.ts'

/** By this a Pod says that it mirrors a static one, which the kubelet reads from a file. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror'

const field = 'spec.ephemeralContainers'

/** Fields whose names in Go are not those in JSON with a capital. */
const goNames: Readonly<Record<string, string>> = { tty: 'TTY' }

/** The value under the names that Go's types have: those of JSON begin in lower case. */
function goNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(goNamed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      goNames[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      goNamed(inner),
    ]),
  )
}

/** There may be more of them, but those that are there stay as they are. */
function checkKept(containers: readonly Container[], old: readonly Container[], errors: Errors): void {
  const byName = new Map(containers.map((container) => [container.name, container]))
  for (const before of old) {
    const now = byName.get(before.name)
    const existing = `existing ephemeral containers "${before.name}"`
    if (now === undefined) errors.push(forbiddenValue(field, `${existing} may not be removed\n`))
    else if (!isSame(now, before)) {
      errors.push(forbiddenValue(field, `${existing} may not be changed\n${jsonDiff(goNamed(before), goNamed(now))}`))
    }
  }
}

/** What is wrong with a change of a Pod's ephemeral containers. */
export function validateEphemeralContainersUpdate({ spec }: Pod, { metadata, spec: old }: Pod): FieldError[] {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbiddenValue('[]', 'static pods do not support ephemeral containers')]
  }
  const errors: Errors = []
  checkPodSpec(spec, 'spec', errors)
  checkKept(spec.ephemeralContainers ?? [], old.ephemeralContainers ?? [], errors)
  return errors
}
