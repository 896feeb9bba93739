/**
 * Replays the matrix of users, verbs, resources and paths against a server, and prints responses that differ from
 * kube-apiserver's:
 *
 *   npm run differential:authorization -- [--area NAME] [--server URL --token T]
 *
 * With `--reference URL --reference-token T` it records the responses of that kube-apiserver instead, which must be a fresh one,
 * because some responses depend on earlier requests.
 */
import { parseArgs } from 'node:util'
import { differencesOf, record } from '../conformance/authorization/answers.ts'
import { type Area, matrix } from '../conformance/authorization/matrix.ts'
import { opener } from '../conformance/authorization/open.ts'
import { type Answered, Player } from '../conformance/authorization/play.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string' },
    'reference-token': { type: 'string', default: '' },
  },
})

/** Returns the responses of a server for the selected areas. */
async function answersOf(url: string, token: string): Promise<Record<string, Map<string, Answered>>> {
  const { open, close } = opener(url, token)
  const player = new Player(open)
  await player.prepare()
  const answers: Record<string, Map<string, Answered>> = {}
  for (const name of values.area === undefined ? Object.keys(matrix) : [values.area])
    answers[name] = await player.play(areaOf(name))
  close()
  return answers
}

function areaOf(name: string): Area {
  const area = matrix[name]
  if (area === undefined) throw new Error(`no area ${name}: there are ${Object.keys(matrix).join(', ')}`)
  return area
}

async function compare(url: string, token: string): Promise<void> {
  for (const [name, answered] of Object.entries(await answersOf(url, token))) {
    const differences = differencesOf(name, areaOf(name), answered)
    for (const [title, { recorded, got }] of differences) console.log(`${title}\n  recorded ${recorded}\n  got      ${got}`)
    console.log(`${name}: ${answered.size - differences.size} of ${answered.size} answers are equal`)
  }
}

if (values.reference !== undefined) {
  if (values.area !== undefined) throw new Error('the areas are recorded together')
  record(await answersOf(values.reference, values['reference-token']))
} else if (values.server !== undefined) {
  await compare(values.server, values.token)
} else {
  const { url, token, stop } = await startServer()
  await compare(url, token)
  stop()
}
