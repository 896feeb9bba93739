/** The registrations of a collection, whose answers may be overtaken by the deletion of a namespace. */
import { env, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { NamespacePhase } from '../../src/clusters/namespace-facts.ts'
import { Registrations } from '../../src/durable-objects/registration.ts'
import { LookupResults, MissingLookups, resolveInObject } from '../../src/meta/lookups.ts'

const collection = { group: '', version: 'v1', resource: 'secrets' }

/** Runs work until its lookups have results. Returns the result, and the number of times that it has asked. */
async function settled<T>(work: (lookups: LookupResults) => T): Promise<T> {
  const lookups = new LookupResults()
  for (;;) {
    try {
      return work(lookups)
    } catch (error) {
      if (!(error instanceof MissingLookups)) throw error
      await resolveInObject(error, lookups)
    }
  }
}

test('a registration whose answer is overtaken by the deletion of the namespace does not count [M7]', () =>
  runInDurableObject(env.STORES.getByName('default//registrations'), async (_object, { storage }) => {
    const answers: ((phase: NamespacePhase | null) => void)[] = []
    let asked: () => void = () => undefined
    const send = (): Promise<NamespacePhase | null> =>
      new Promise((resolve) => {
        answers.push(resolve)
        asked()
      })
    const nextQuestion = (): Promise<void> => new Promise((resolve) => (asked = resolve))
    const registrations = new Registrations(storage, send)
    const phase = (namespace: string): Promise<NamespacePhase | null> =>
      settled((lookups) => registrations.phaseOf(collection, namespace, lookups))

    let question = nextQuestion()
    const both = Promise.all([phase('shop'), phase('shop')])
    await question
    question = nextQuestion()
    registrations.revoke('shop')
    answers.shift()?.('Active')
    await question
    answers.shift()?.('Terminating')
    expect(await both).toEqual(['Terminating', 'Terminating'])

    question = nextQuestion()
    const other = phase('other')
    await question
    registrations.revoke('shop')
    answers.shift()?.('Active')
    expect(await other).toBe('Active')
    // In force, also for an object that starts again.
    expect(new Registrations(storage, send).phaseOf(collection, 'other', new LookupResults())).toBe('Active')
    expect(answers).toEqual([])
  }))
