import type { AuditEntryJson } from '@mira/shared'
import { type AuditAction, auditActions } from '@mira/shared/constants/audit'
import { tokenScopes } from '@mira/shared/constants/scopes'
import { roles } from '@mira/shared/constants/users'
import type { Format } from '../../lib/format.ts'
import type { Text } from '../../lib/i18n.ts'

type Underscored<Name extends string> = Name extends `${infer Head}.${infer Tail}` ? `${Head}_${Tail}` : Name
type ActionKey = `action.${Underscored<AuditAction> | 'request'}`

const fields = [
  ...(['username', 'email', 'full_name', 'role', 'is_active'] as const),
  ...(['can_chat', 'can_upload', 'can_use_voice', 'can_use_agents', 'password', 'storage_limit_bytes'] as const),
] as const
const methods = ['password', 'code', 'passkey', 'oidc', 'invitation'] as const

/** The key of the sentence that says an act; lines of earlier versions name some by method and path. */
export function sentenceKey(action: string): ActionKey {
  const known = auditActions.find((one) => one === action)
  return known === undefined ? 'action.request' : (`action.${known.replace('.', '_')}` as ActionKey)
}

/** Texts and formats for a line of the log; shared terms come from other screens' texts. */
interface AuditWords {
  text: Text<'audit'>
  appText: Text<'app'>
  usersText: Text<'users'>
  errorsText: Text<'errors'>
  format: Format
}

/** Details of an action as separate texts; unknown ones are shown as stored. */
export function detailParts({ detail }: Pick<AuditEntryJson, 'detail'>, words: AuditWords): string[] {
  const { text, appText, usersText, errorsText, format } = words
  const roleOf = (value: unknown) => {
    const role = roles.find((one) => one === value)
    return role === undefined ? String(value) : appText(`roles.${role}`)
  }
  const wordOf = (name: string): string | null => {
    const value = detail[name]
    if (name === 'role' && value !== undefined) return roleOf(value)
    if (name === 'storage_limit_bytes' && typeof value === 'number') return format.bytes(value)
    return typeof value === 'boolean' ? text(value ? 'detail.yes' : 'detail.no') : null
  }
  const fieldOf = (name: string): string => {
    const known = fields.find((one) => one === name)
    const [field, value] = [known === undefined ? name : text(`fields.${known}`), wordOf(name)]
    return value === null ? field : text('detail.value', { field, value })
  }
  const changed = Array.isArray(detail.changed) ? detail.changed.map(String) : []
  return Object.entries(detail).flatMap(([name, value]) => {
    if (changed.includes(name)) return []
    if (name === 'changed')
      return changed.length === 0 ? [] : text('detail.changed', { fields: listOf(changed, fieldOf) })
    if (name === 'role') return text('detail.role', { role: roleOf(value) })
    if (name === 'method') {
      const method = methods.find((one) => one === value)
      return text('detail.method', { method: method ? usersText(`devices.methods.${method}`) : String(value) })
    }
    if (name === 'scopes' && Array.isArray(value)) {
      const scopeOf = (one: string) => {
        const scope = tokenScopes.find((known) => known === one)
        return scope === undefined ? one : usersText(`tokens.scope.${scope}`)
      }
      return text('detail.scopes', { scopes: listOf(value.map(String), scopeOf) })
    }
    if (name === 'attempts' && typeof value === 'number') return text('detail.attempts', { count: value })
    if (name === 'error') {
      const code = value as Parameters<typeof errorsText.has>[0]
      return text('detail.error', { reason: errorsText.has(code) ? errorsText(code) : String(value) })
    }
    return `${name}: ${listOf([value].flat().map(String), (one) => one)}`
  })
}

const listOf = (names: string[], word: (name: string) => string) => names.map(word).join(', ')
