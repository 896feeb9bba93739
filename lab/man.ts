/** Writes the manual page of the package. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../src/launcher/commands.ts'
import { manPage } from '../src/launcher/man-page.ts'
import { command } from './command.ts'
import { root } from './root.ts'

export default command({
  run() {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
    mkdirSync(join(root, 'man'), { recursive: true })
    writeFileSync(join(root, 'man/edgeplane.1'), manPage(commands, version))
  },
})
