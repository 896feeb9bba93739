/** Replays scenarios, and compares the answers with the recorded ones. */
import { differenceOf } from './compare.ts'
import { type Access, play } from './play.ts'
import { answeredSteps, type Scenario, titleOf, withAnswers, writeScenario } from './scenario.ts'

/** The longest pause that this server needs, whose permissions, tokens and policies are at most a second old; in milliseconds. */
export const maxPause = 1500

/** A step whose answer differs. */
export interface DifferingStep {
  readonly scenario: string
  /** Its index among the steps that have answers. */
  readonly step: number
  readonly title: string
  /** The first difference. */
  readonly difference: string
  /** Whether the answer differs in the numbers of resource versions alone. */
  readonly isNumberAlone: boolean
}

/** The result of a replay. */
export interface Verdict {
  /** The number of steps with a recorded answer. */
  readonly steps: number
  /** The number of those whose status code is equal. */
  readonly equalStatuses: number
  readonly differing: readonly DifferingStep[]
}

/** Replays a scenario and compares its answers with the recorded ones. */
export async function check(scenario: Scenario, access: Access): Promise<Verdict> {
  const answers = await play(scenario, access)
  const steps = answeredSteps(scenario)
  return {
    steps: steps.length,
    equalStatuses: steps.filter(({ answer }, index) => answer?.status === answers[index]?.status).length,
    differing: steps.flatMap((step, index) => {
      const difference = differenceOf(step.answer, answers[index])
      if (difference === undefined) return []
      const { text, isNumberAlone } = difference
      return [{ scenario: scenario.name, step: index, title: titleOf(step), difference: text, isNumberAlone }]
    }),
  }
}

/** Replays a scenario, and writes it with the answers into a folder. */
export async function record(folder: string, scenario: Scenario, access: Access): Promise<void> {
  writeScenario(folder, withAnswers(scenario, await play(scenario, access)))
}
