/** Plays the matrix of authorization against a server. */

import { type Area, matrix } from '../conformance/authorization/matrix.ts'
import { type Answered, Player } from '../conformance/authorization/play.ts'
import type { Client } from '../test/client.ts'
import { UsageError } from './command.ts'

/** Returns a part of the matrix. @throws UsageError */
export function areaOf(name: string): Area {
  const area = matrix[name]
  if (area === undefined) throw new UsageError(`there is no area ${name}: there are ${Object.keys(matrix).join(', ')}`)
  return area
}

/** Returns the responses of a server for an area, or for all, by area and title. */
export async function answersOf({ open }: Client, only?: string): Promise<Record<string, Map<string, Answered>>> {
  const names = only === undefined ? Object.keys(matrix) : [only]
  const areas = names.map((name) => [name, areaOf(name)] as const)
  const player = new Player(open)
  await player.prepare()
  const answers: Record<string, Map<string, Answered>> = {}
  for (const [name, area] of areas) answers[name] = await player.play(area)
  return answers
}
