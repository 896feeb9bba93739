export const textFolder: string
export function sources(): string[]
export function readTexts(): Map<string, string>
export function generate(): Promise<void>
