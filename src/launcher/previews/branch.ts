/** The names of previews, from those of branches. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { LauncherError } from '../launcher-error.ts'

/** The longest name without its hash: a name is a label of a host, with 63 characters at most. */
const longest = 50
const hashLength = 6

/** Returns a text in lower case with hyphens in place of all characters that names of hosts do not have. */
export const labelOf = (text: string, length: number): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, length)
    .replace(/-$/, '')

/**
 * Returns the name of a branch's cluster: the branch itself if that is a name of a cluster, otherwise with a hash, because other
 * branches may look the same.
 * @example
 * clusterOfBranch('fix-42') // 'fix-42'
 * clusterOfBranch('feature/Login') // 'feature-login-09a4a6'
 */
export function clusterOfBranch(branch: string): string {
  const label = labelOf(branch, longest)
  if (label === branch && label !== 'default') return label
  const hash = createHash('sha256').update(branch).digest('hex').slice(0, hashLength)
  return label === '' ? `branch-${hash}` : `${label}-${hash}`
}

/** Returns the current branch of git; '' without one. */
function currentBranch(directory: string): string {
  try {
    return execFileSync('git', ['branch', '--show-current'], {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/**
 * Returns the branch of a command: the option, that of a pull request in GitHub Actions, or the current one.
 * @throws LauncherError if none is known
 */
export function branchOf(option: string | undefined, directory: string): string {
  const branch = option || process.env.GITHUB_HEAD_REF || currentBranch(directory)
  if (branch === '') throw new LauncherError('The branch is missing: name it with --branch.')
  return branch
}
