/** How events of a kind are written for the watchers of one form. */
import type { Kind } from '../catalog/kind.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { EventEncoder } from '../storage/store.ts'
import type { Registry } from './registry.ts'
import type { Form } from './representation-form.ts'
import { zeroOf } from './reset.ts'
import { encodeValue } from './stored-object.ts'

/** An encoder that also writes the bookmark behind the initial events. */
export interface FormEncoder extends EventEncoder {
  readonly following?: FormEncoder
  initialEventsEnd(resourceVersion: number): Uint8Array
}

const bytes = new TextEncoder()
const heartbeat = bytes.encode('\n')
const endAnnotations = { 'k8s.io/initial-events-end': 'true' }

/** A bookmark's object: as Go has it when nothing is set but the version. */
function markValue(registry: Registry, kind: Kind, resourceVersion: number, annotations?: Record<string, string>): string {
  const { group, version, resource } = kind.storage
  const storageKind = registry.kindOf(group, version, resource) ?? kind
  const zero = zeroOf(storageKind) as unknown as KubernetesObject
  return encodeValue({ ...zero, metadata: annotations === undefined ? {} : { annotations } }, String(resourceVersion))
}

function makeEncoder(registry: Registry, kind: Kind, form: Form): FormEncoder {
  const line = (type: string, object: string): Uint8Array => bytes.encode(`{"type":"${type}","object":${object}}\n`)
  return {
    name: `${kind.apiVersion}/${kind.resource} ${form.name}`,
    encode: (type, { value }) => line(type, form.object(value)),
    bookmark: (resourceVersion) => line('BOOKMARK', form.object(markValue(registry, kind, resourceVersion))),
    initialEventsEnd: (resourceVersion) =>
      line('BOOKMARK', (form.initialEventsEnd ?? form).object(markValue(registry, kind, resourceVersion, endAnnotations))),
    heartbeat: () => heartbeat,
    ...(form.following !== undefined && { following: makeEncoder(registry, kind, form.following) }),
  }
}

const encoders = new WeakMap<Registry, WeakMap<Kind, Map<string, FormEncoder>>>()

/** The encoder of a kind in a form: made once, whoever watches. */
export function encoderOf(registry: Registry, kind: Kind, form: Form): FormEncoder {
  let ofRegistry = encoders.get(registry)
  if (ofRegistry === undefined) {
    ofRegistry = new WeakMap()
    encoders.set(registry, ofRegistry)
  }
  let ofKind = ofRegistry.get(kind)
  if (ofKind === undefined) {
    ofKind = new Map()
    ofRegistry.set(kind, ofKind)
  }
  let encoder = ofKind.get(form.name)
  if (encoder === undefined) {
    encoder = makeEncoder(registry, kind, form)
    ofKind.set(form.name, encoder)
  }
  return encoder
}
