import { readFileSync } from 'node:fs'
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
    AUTHENTICATION_CONFIGURATION: await settingOf(authenticationConfig, checkConfiguration),
    STATIC_TOKENS: await settingOf(staticTokens, async (json) => new StaticTokens('', json)),
  }
}

/** The language of its rules is not loaded for those who have none. */
async function checkConfiguration(json: string): Promise<unknown> {
  const { readAuthenticationConfiguration } = await import('../auth/configuration.ts')
  return readAuthenticationConfiguration(json)
}

async function settingOf(file: string | undefined, check: (json: string) => Promise<unknown>): Promise<string> {
  if (file === undefined) return ''
  try {
    const json = await asJson(readFileSync(file, 'utf8'))
    await check(json)
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
