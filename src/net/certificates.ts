/** Certificates in PEM. */

/** Extracts the certificates from a text, each as PEM. */
export function certificatesIn(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => `${block}\n`)
}
