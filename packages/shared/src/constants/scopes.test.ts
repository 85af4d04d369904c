import { expect, test } from 'vitest'
import { scopeOf } from '../access.ts'
import type { TokenScope } from './accounts.ts'

test.each<[Parameters<typeof scopeOf>[0], TokenScope]>([
  [{ access: 'user', method: 'GET' }, 'read'],
  [{ access: 'upload', method: 'HEAD' }, 'read'],
  [{ access: 'chat', method: 'GET' }, 'read'],
  [{ access: 'user', method: 'PATCH' }, 'write'],
  [{ access: 'upload', method: 'DELETE' }, 'write'],
  [{ access: 'chat', method: 'POST' }, 'chat'],
  [{ access: 'voice', method: 'POST' }, 'chat'],
  [{ access: 'agents', method: 'POST' }, 'agents'],
  [{ access: 'admin', method: 'GET' }, 'admin'],
  [{ access: 'upload', method: 'POST', scope: 'upload' }, 'upload'],
])('%o needs the scope %s', (route, scope) => {
  expect(scopeOf(route)).toBe(scope)
})
