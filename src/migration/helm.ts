/** Manifests of Helm releases, which the next `helm upgrade` sends or compares: they are in Secrets, compressed. */
import type { JsonObject } from '../go/json-value.ts'

/** The labels of the Secrets of releases that are installed. */
export const helmSelector = 'owner=helm,status=deployed'

/** The most bytes of a release, not compressed. */
const longestRelease = 16 * 1024 * 1024

/** A release of a chart. */
export interface HelmRelease {
  readonly name: string
  readonly namespace: string
  /** The manifests as a stream of YAML. */
  readonly manifests: string
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Decompresses bytes. @throws Error beyond the bound */
async function gunzipped(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  const decoder = new TextDecoder()
  let text = ''
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length > longestRelease) {
      await reader.cancel()
      throw new Error('the release is too long')
    }
  }
}

/** Reads the release in a Secret of Helm 3. @throws Error for other Secrets */
export async function releaseIn(secret: JsonObject): Promise<HelmRelease> {
  const data = (secret.data ?? {}) as { readonly release?: unknown }
  if (secret.type !== 'helm.sh/release.v1' || typeof data.release !== 'string') throw new Error('it is no Helm release')
  const bytes = bytesOf(atob(data.release))
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const release: unknown = JSON.parse(isCompressed ? await gunzipped(bytes) : new TextDecoder().decode(bytes))
  const { name, namespace, manifest } = release as { name?: unknown; namespace?: unknown; manifest?: unknown }
  return { name: String(name), namespace: String(namespace), manifests: typeof manifest === 'string' ? manifest : '' }
}
