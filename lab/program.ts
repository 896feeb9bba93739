/** Commands that are programs of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Command } from './command.ts'
import { root } from './root.ts'

const commandOf = (file: string, usage: string): Command => ({
  help: () => `node ${file} ${usage}`.trimEnd(),
  async run(args) {
    const child = spawn(process.execPath, [join(root, file), ...args], { cwd: root, stdio: 'inherit' })
    const [code] = await once(child, 'exit')
    process.exitCode = Number(code ?? 1)
  },
})

/**
 * Returns a function that loads a command which passes its arguments on to a program.
 * @param file of the program, in the repository
 * @param usage its arguments
 */
export const program =
  (file: string, usage = '') =>
  async (): Promise<{ readonly default: Command }> => ({ default: commandOf(file, usage) })
