/** The form of a row in the tables of settings. */

/** The users of a value. The launcher reads those of the local server's configuration too. */
export type Reader = 'worker' | 'object'

/** An option of the command line that stands for a setting, or for something of the local server alone. */
export interface Flag {
  /** The name without `--`. */
  readonly flag: string
  /** The placeholder of the value, such as `LIST`. Without it the option takes no value. */
  readonly value?: string
  /** The values, if there are only a few. */
  readonly choices?: readonly string[]
  /** May be given several times. */
  readonly many?: true
  /** Phrases for `--help`; each begins a line of its own. `{default}` stands for the value without the option. */
  readonly help: readonly string[]
  /** The option names a file with the text. */
  readonly file?: true
  /** An earlier name of the option, and the message if it is used. */
  readonly deprecated?: { readonly flag: string; readonly message: string }
  /** The command that takes the option: `start` and `deploy`, unless it says otherwise. */
  readonly only?: 'start' | 'deploy'
}

/** A setting of a deployment: a variable of the Worker. */
export interface Setting extends Partial<Flag> {
  readonly variable: string
  /** The text without the variable. */
  readonly default?: string
  /** The text of the local server without the option. */
  readonly local?: string
  /** Converts the text, or the default without one; an absent reader leaves it as it is. @throws Error that continues the name */
  readonly read?: (text: string) => unknown
  readonly at: readonly Reader[]
  /** Holds credentials: it is a secret of the Worker, in as many parts as necessary. */
  readonly secret?: true
  /** May be longer than a variable, and split. */
  readonly long?: true
}

/** An option of the local server alone. */
export interface LocalOption extends Flag {
  readonly variable?: undefined
  readonly default?: string
  readonly only: 'start'
}

/** The settings and options of one subject, in the order of `--help`. */
export type SettingTable = Readonly<Record<string, Setting | LocalOption>>
