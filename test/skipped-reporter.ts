/** Says in one line at the end of a run which tests were not run, and why. */
import { execFileSync } from 'node:child_process'
import type { Reporter, TestModule } from 'vitest/node'
import { chromium } from './clients/chromium.ts'
import { releases } from './clients/releases.ts'

function isInstalled(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Programs that some tests need, with the sentence for a machine that lacks them. */
const needs: readonly { readonly isThere: () => boolean; readonly sentence: string }[] = [
  { isThere: () => releases().length > 0, sentence: 'no kubectl is on the PATH, so that its tests ran nothing' },
  { isThere: () => chromium !== undefined, sentence: 'no Chromium is on the PATH, so that no browser was tested' },
  {
    isThere: () => isInstalled('go', 'version'),
    sentence: 'Go is not installed, so that the operator of controller-runtime was not built',
  },
]

/** Prints nothing if everything ran. A run of some files or titles alone leaves out the others on purpose. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const isWhole = !process.argv.some((argument) => argument === '-t' || argument.startsWith('--testNamePattern'))
    const skipped = isWhole ? modules.flatMap((module) => [...module.children.allTests('skipped')]) : []
    const runsClients = modules.some(({ moduleId }) => moduleId.includes('/test/clients/'))
    const missing = runsClients ? needs.filter(({ isThere }) => !isThere()).map(({ sentence }) => sentence) : []
    if (skipped.length === 0 && missing.length === 0) return
    const names = skipped.map(({ fullName }) => fullName)
    const titles = names.length === 0 ? '' : ` (${names.slice(0, 5).join('; ')}${names.length > 5 ? '; …' : ''})`
    console.log(`Not run: ${skipped.length} tests${titles}${missing.map((sentence) => `; ${sentence}`).join('')}`)
  }
}
