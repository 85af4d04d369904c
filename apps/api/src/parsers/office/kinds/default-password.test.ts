import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CFB } from '@e965/xlsx'
import { afterAll, expect, test } from 'vitest'
import { createDocumentWriter } from '../document-writer.ts'
import { decryptWithDefaultPassword } from './default-password.ts'
import { readOldSheets } from './old-sheets.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-default-password-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Stream of a workbook that another program encrypted with RC4, in two blocks; LibreOffice opens it without asking for a password. */
const LOCKED = Buffer.from(
  'CQgQAAAGBQC7DcwHQQAAAAYAAAAvADYAAQABAAEAEBESExQVFhcYGRobHB0eH71s5iVMLZD6bIaxpOvLuNcWffoLJesl4z3auk3zMZ0iQgACADpfPQASAPOfn5XAwqu0Sud4H2xsGMWrtzEAFQC78Hk6v52QFOLwmSFtOrYKTYXRpZbgABQApPK3ZQOLXhWDQVgg0P7D5c3vZ7CFAA0AsAAAABjsAXcltwU4dgoAAAAJCBAAAAYQALsNzAdBAAAABgAAAAACDgDXmkdefcYUtmEQJWnSAwQCGQCDEG4Px+V0BRAS1xaoZj7a8pBra7Jm/UhIAwIOAKP70Xt4hn5hF6KMmIWVBAIZAP6saHvxzUeJDXhjRTosBA25/aiGkIpxoS0DAg4A812IiibPAzmqLawLeCAEAhkAaegAEHHvgjGC1gX7QUXTW3WwcG2NRgf3QwMCDgDmplqnoYSPXKFjTrzXsgQCGQBi6bezm2KrZuPmaaxyK5oVitE6yb2SGX21AwIOACy9VTAA17+XwffacxfRBAIZAAeHV+2SZtgk/kdbPPGrlK/ImIeQdSFiP/cDAg4AkDFgirt9KdwaZt3+e60EAhkAbK+jZvth88JNfGbnUsbumfIZJwD6MHjhbgMCDgA7vYlUXxRMmiVONYov0QQCGQDpQiBWu18u8UJrQy7pN3cQoU9u6b/7nxKnAwIOAJrPJziX1mp3gcUZU3vfBAIZAAN2/2gBGCZRTtz/BpaXlu+GciCdjPAc/PoDAg4AjjG5EWj7Bc3Q7MHtnqsEAhkA+9fPSk9iReW8IxmyYebmYWxkyDiAfDZ2YgMCDgDEyXZxi6F7AstiOneolQQCGQAooy88jp0wBoN4a96fYAPWWNZDXFOz47z4AwIOAGTPoyX6o7weKweG6OWiBAIZAMXE5NHfLXH2C8DSaTowNMcg7qGFW6dGJHIDAg4ALjhfyhYMI46dZn7rXP8EAhkAs2lFeiKJ3uianHJiO2JMrCLZFeugLCiTwwMCDgCHfj3/MO50mmY96Yfk5gQCGQCdy76fU4bDCxtXK9YmpxyS/jJouJJ9QybfAwIOAI+f/f1Wsp+YF9qXIPe2BAIZAIT0FhUY+Og4hhiodYPA+g6QopGpvQikHPMDAg4AdegfCPmJZQZ+SKsi2eAEAhkAHE1yekD6OqezWf8mqfGYPGumlSlqjCeE2gMCDgBnZ333dCoigyRYIDjqwwQCGQCdV8aGqhH5ax9BunO6U/1mF2TbkgcLPqUUAwIOAH6JPUixivsjrIp+slZkBAIZAMq7w476I1rFIOb56kzhUkImFd6fUOiNR2EDAg4AePjVWWwDr99UOrlBIyMEAhkAmAQstMi+fLs5cY8CpMLMf6nklmFj8iCeBwMCDgA1DsOcDp6iRsTaer8zHAoAAAA=',
  'base64',
)
/** Offset of a byte that verifies the password. */
const VERIFIER_AT = 50

function workbookOf(stream: Buffer): Buffer {
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/Workbook', stream)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

async function textOf(content: Buffer): Promise<string | undefined> {
  const filename = join(folder, 'file.xls')
  writeFileSync(filename, content)
  const writer = createDocumentWriter()
  await readOldSheets(filename, writer, () => undefined)
  return writer.pages()[0]?.text
}

test("reads a workbook that Excel locked with its own password, but not one with a user's", async () => {
  const rows = Array.from({ length: 18 }, (_, row) => `Figs and quinces | ${17.5 + row}`)
  expect(await textOf(workbookOf(LOCKED))).toBe(`Costs\n\n${rows.join('\n')}`)
  const withUserPassword = Buffer.from(LOCKED)
  withUserPassword[VERIFIER_AT] = (withUserPassword[VERIFIER_AT] ?? 0) ^ 1
  await expect(textOf(workbookOf(withUserPassword))).rejects.toMatchObject({ code: 'encrypted_document' })
})

test('reads a workbook obfuscated with that password', () => {
  const [beginning, written] = ['0908040000000000' + '2f000600' + '000059b30a9a', 'cd4ff207924c55e2902a2946578eb28d']
  const stream = Buffer.from(`${beginning}04021000${written}`, 'hex')
  expect(decryptWithDefaultPassword(stream)?.toString('latin1')).toContain('Figs and quinces')
  expect(decryptWithDefaultPassword(Buffer.from(stream.toString('hex').replace('59b3', '58b3'), 'hex'))).toBeNull()
})
