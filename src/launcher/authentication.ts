import { readFileSync } from 'node:fs'
import { readAuthenticationConfiguration } from '../auth/configuration.ts'
import { StaticTokens } from '../auth/static-tokens.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import type { StartOptions } from './options.ts'

/** What the Worker is told of who may come in, as its variables have it; '' where nothing is said. */
export interface AuthenticationSettings {
  readonly AUTHENTICATION_CONFIGURATION: string
  readonly STATIC_TOKENS: string
}

/**
 * Reads the files that the operator has named, and checks them: a server that could not read them would refuse everybody.
 * @throws LauncherError for a file that cannot be read or is wrong
 */
export async function authenticationSettings({
  authenticationConfig,
  staticTokens,
}: Pick<StartOptions, 'authenticationConfig' | 'staticTokens'>): Promise<AuthenticationSettings> {
  return {
    AUTHENTICATION_CONFIGURATION: await settingOf(authenticationConfig, readAuthenticationConfiguration),
    STATIC_TOKENS: await settingOf(staticTokens, (json) => new StaticTokens('', json)),
  }
}

async function settingOf(file: string | undefined, check: (json: string) => unknown): Promise<string> {
  if (file === undefined) return ''
  try {
    const json = await asJson(readFileSync(file, 'utf8'))
    check(json)
    return json
  } catch (error) {
    throw new LauncherError(`${file} cannot be used: ${reasonOf(error)}`)
  }
}

/** YAML is not loaded for those who write JSON. */
async function asJson(text: string): Promise<string> {
  if (/^\s*[[{]/.test(text)) return text
  const { load } = await import('js-yaml')
  return JSON.stringify(load(text))
}
