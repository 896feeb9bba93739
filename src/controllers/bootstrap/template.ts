/**
 * The objects of a control object after its bootstrap, from which those of further named clusters are made: their decoding,
 * validation and managed fields are the same in each. The first cluster of an isolate makes the template.
 */
import { controlledCollections } from '../../clusters/placement.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Stored } from '../../storage/store.ts'
import { withResourceVersion } from '../../storage/value-version.ts'

/** The objects in the order of their versions, which are relative to that before the bootstrap. */
type Template = readonly Stored[]

/** More than a control object has of any collection. */
const most = 1000

let template: Template | undefined

/**
 * Keeps the objects of a control object, which has none but those of its bootstrap.
 * @param before the resourceVersion before the bootstrap
 */
export function keepTemplate({ store }: Registry, before: number): void {
  if (template !== undefined) return
  const { resourceVersion } = store
  template = [...controlledCollections]
    .flatMap((collection) => store.list({ prefix: `${collection}/`, limit: most, resourceVersion }).items)
    .map((stored) => ({ ...stored, resourceVersion: stored.resourceVersion - before }))
    .sort((a, b) => a.resourceVersion - b.resourceVersion)
}

const uid = /"uid":"[0-9a-f-]{36}"/
const time = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g

/** Writes the objects of the template in one commit, with uids and times of their own. Resolves to false without a template. */
export async function writeTemplate({ store, names, now }: Registry): Promise<boolean> {
  const objects = template
  if (objects === undefined) return false
  const before = store.resourceVersion
  const at = `"${rfc3339Seconds(now())}"`
  await store.write((transaction) => {
    for (const stored of objects) {
      const resourceVersion = before + stored.resourceVersion
      while (transaction.nextResourceVersion() < resourceVersion);
      const value = stored.value.replace(uid, `"uid":"${names.uid(stored.key)}"`).replace(time, at)
      transaction.put(withResourceVersion({ key: stored.key, labels: stored.labels, value, resourceVersion }, resourceVersion))
    }
  })
  return true
}
