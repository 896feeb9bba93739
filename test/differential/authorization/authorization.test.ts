/**
 * Authorization: a matrix of users, verbs, resources and forms of paths, with the recorded responses of kube-apiserver. A third
 * of the requests is sent here; `npm run differential:authorization` sends all, and records them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server.ts'
import { differencesOf } from './answers.ts'
import { matrix, sampleOf } from './matrix.ts'
import { opener } from './open.ts'
import { Player } from './play.ts'

/** The reasons of known differences, by title. */
const known = JSON.parse(readFileSync(join(import.meta.dirname, 'differences.json'), 'utf8')) as Readonly<Record<string, string>>

let server: TestServer
let player: Player
let close: () => void
beforeAll(async () => {
  server = await startServer()
  const connection = opener(server.url, server.token)
  close = connection.close
  player = new Player(connection.open)
  await player.prepare()
}, 60_000)
afterAll(async () => {
  close()
  await server.stop()
})

test.each(Object.entries(matrix))(
  "%s: authorization equals kube-apiserver's",
  async (name, area) => {
    const differences = differencesOf(name, area, await player.play(sampleOf(area)))
    const unknown = [...differences].filter(([title]) => !Object.hasOwn(known, title))
    expect(Object.fromEntries(unknown)).toEqual({})
    const mended = [...area.cases.keys()].filter((title) => Object.hasOwn(known, title) && !differences.has(title))
    expect(mended).toEqual([])
  },
  120_000,
)

test('every known difference belongs to an existing request', () => {
  const titles = new Set(Object.values(matrix).flatMap(({ cases }) => [...cases.keys()]))
  expect(Object.keys(known).filter((title) => !titles.has(title))).toEqual([])
})
