/**
 * Settings that come with the first request. The programs for envtest load the Worker before they know them: a test that waits for
 * its API server need not wait for the Worker's compilation.
 */
import type { Environment } from '../config/environment.ts'

/** The settings that a server waits for. */
export class LateSettings {
  readonly #token: string
  readonly #use: (environment: Environment) => void
  #areMissing = true

  constructor(token: string, use: (environment: Environment) => void) {
    this.#token = token
    this.#use = use
  }

  /** Whether the next request must bring them. */
  get areMissing(): boolean {
    return this.#areMissing
  }

  /**
   * Takes the settings from a request whose body is an object of texts, and puts them into the environment, which the Durable Objects
   * have in common with the Worker. Responds with 204, with 401 to any other request, and with 400 and the reason if a setting is
   * invalid.
   */
  async take(request: Request, environment: Environment): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${this.#token}`) return new Response('', { status: 401 })
    try {
      Object.assign(environment, await request.json())
      this.#use(environment)
    } catch (error) {
      return new Response(error instanceof Error ? error.message : '', { status: 400 })
    }
    this.#areMissing = false
    return new Response(null, { status: 204 })
  }
}

/** Returns the settings that the server waits for; undefined if it has them. */
export function lateSettingsIn(
  { LATE_SETTINGS = '' }: Environment,
  use: (environment: Environment) => void,
): LateSettings | undefined {
  return LATE_SETTINGS === '' ? undefined : new LateSettings(LATE_SETTINGS, use)
}
