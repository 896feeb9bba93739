/** Replays recorded scenarios against a test server. */
import type { TestServer } from '../server.ts'
import { checkFile } from './replay.mjs'

// Each server has a certificate of its own.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

/** Permissions, tokens and policies in a Worker are at most a second old; in milliseconds. */
const longestSleep = 1500

/**
 * Replays one file of scenarios.
 * @param folder contains `scenarios` and `golden`
 * @returns the steps whose responses differ, as `<scenario> #<step>`; `<scenario> #versions` for those that differ in the numbers of
 *   resource versions alone
 */
export async function differingSteps(server: TestServer, folder: string, name: string): Promise<string[]> {
  const steps = await checkFile(folder, name, { server: server.url, token: server.token, longestSleep })
  return [...new Set(steps.map(({ scenario, step, isNumberAlone }) => `${scenario} #${isNumberAlone ? 'versions' : step}`))]
}
