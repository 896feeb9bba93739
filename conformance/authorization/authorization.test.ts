/**
 * Authorization: a matrix of users, verbs, resources and forms of paths, with the recorded responses of kube-apiserver. A third
 * of the requests is sent here; `npm run lab diff authorization` sends all, `npm run lab record authorization` records them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../test/server.ts'
import { differencesOf } from './answers.ts'
import { matrix, sampleOf } from './matrix.ts'
import { opener } from './open.ts'
import { Player } from './play.ts'

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
    expect(Object.fromEntries(differences)).toEqual({})
  },
  120_000,
)
