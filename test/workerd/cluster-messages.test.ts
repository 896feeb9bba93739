/** The messages of a control object: before its cluster exists, with an error, and with the time of the sender. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { controlProtocol } from '../../src/clusters/control-protocol.ts'
import { causeHeader } from '../../src/clusters/fork-messages.ts'
import { send } from '../../src/clusters/message.ts'
import { collectionUrl, repeated, withHeaders } from '../../src/clusters/protocol.ts'
import { ofDeployment } from '../../src/clusters/senders.ts'
import { ApiError } from '../../src/meta/errors.ts'
import { kernelOf } from './kernel-of.ts'
import { newControl } from './new-control.ts'

test('404 from the control object of a cluster that does not exist, which stores nothing [C4]', async () => {
  const stub = env.CONTROL.getByName(`${crypto.randomUUID()}/control`)
  for (const path of [controlProtocol.health.path, controlProtocol.policy.path, '']) {
    const response = await stub.fetch(collectionUrl + path)
    expect({ path, status: response.status, text: await response.text() }).toMatchObject({ path, status: 404 })
  }
  const stored = await runInDurableObject(stub, async (_, { storage }) => [
    [...storage.kv.list()],
    storage.sql.exec("SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    await storage.getAlarm(),
  ])
  expect(stored).toEqual([[], [], null])
})

test('an ApiError of the receiver is thrown at the sender [M3]', async () => {
  const control = withHeaders(await newControl(), ofDeployment)
  const wanted = { uid: 'u', cluster: 'child', time: Date.now() + 1_000_000 }
  await expect(send(control, controlProtocol.holdHistory, wanted)).rejects.toMatchObject({
    code: 400,
    reason: 'BadRequest',
    message: 'the time of a fork must not be in the future',
  })
})

test('a write because of another object gets no earlier time than that of the object [M6]', async () => {
  const control = await newControl()
  const cause = Date.now() + 60_000
  const response = await control.fetch(collectionUrl + controlProtocol.health.path, { headers: { [causeHeader]: String(cause) } })
  await response.body?.cancel()
  expect(Number(response.headers.get(causeHeader))).toBeGreaterThanOrEqual(cause)
  const [before, after] = await runInDurableObject(control, async (instance) => {
    const { store } = kernelOf(instance)
    const resourceVersion = await store.write((transaction) => {
      const next = transaction.nextResourceVersion()
      transaction.put({ key: 'namespaces/caused', resourceVersion: next, labels: '', value: '{}' })
      return next
    })
    return [store.versionAt(cause - 1), resourceVersion]
  })
  expect(before).toBeLessThan(after ?? 0)
})

test('a request to an object that ends itself is sent five times at most, and one that is refused once [M9]', async () => {
  const sentUntil = async (error: Error): Promise<number> => {
    let sent = 0
    const request = async (): Promise<void> => {
      sent++
      throw error
    }
    await expect(repeated(request)).rejects.toBe(error)
    return sent
  }
  expect(await sentUntil(new Error('the cluster was deleted'))).toBe(5)
  expect(await sentUntil(new ApiError(403, 'Forbidden', 'not you'))).toBe(1)
})
