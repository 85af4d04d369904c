import { expect, test } from 'vitest'
import { toUsername } from './constants/accounts.ts'
import { emailSchema, usernameSchema } from './users.ts'

test('an email address is accepted as people have it, in any script', () => {
  const addresses = [
    ...['ivan@xn--e1afmkfd.xn--p1ai', 'hans@müller.com', 'hans.müller@test.com', '用户@例子.广告'],
    ...['customer/department=shipping@example.com', 'a&b@example.com', '!def!xyz%abc@example.com'],
    ...['first..last@docomo.ne.jp', 'abc.@docomo.ne.jp', 'anita@उदाहरण.भारत'],
  ]
  for (const address of addresses) expect(emailSchema.safeParse(address).data, address).toBe(address)
  expect(emailSchema.safeParse('\u0958a@example.org').success).toBe(true)
  expect(emailSchema.parse(' hans@mu\u0308ller.com ')).toBe('hans@müller.com')
})

test('an email address that isn’t one, or that could be mistaken for another person’s, is refused', () => {
  const addresses = [
    ...[
      'root@localhost',
      'root@127.0.0.1',
      'a b@example.com',
      'a@b@example.com',
      '@example.com',
      'a@.com',
      'a@example.c',
    ],
    ...['mİke@example.org', 'mıke@example.org', 'mike@gİthub.com', 'mike\u200B@example.org', 'mike\uFE0F@example.org'],
    ...['mi\u212Ae@example.org', 'mike\u1FEF@example.org', '\uF900@example.org'],
    ...['mike\u202E@example.org', '<mike@example.org>', 'a,b@example.org', '"a b"@example.org'],
  ]
  for (const address of addresses) expect(emailSchema.safeParse(address).success, address).toBe(false)
})

test('a username has its script’s vowel signs, but no invisible characters', () => {
  for (const name of ['สมศักดิ์', 'अनीता', 'অনিতা', 'தமிழ்', 'מֹשֶׁה', 'مُحَمَّد', 'anna.b-c_d@e+f', '张伟']) {
    expect(usernameSchema.safeParse(name).data, name).toBe(name.normalize('NFC'))
    expect(toUsername(name), name).toBe(name.normalize('NFC'))
  }
  for (const name of [
    'admin\uFE0F',
    'admin\u034F',
    '\u0E38admin',
    'ad min',
    'admin\u200D',
    'admin\u3164',
    '\uFFA0admin',
  ]) {
    expect(usernameSchema.safeParse(name).success, JSON.stringify(name)).toBe(false)
    expect(usernameSchema.safeParse(toUsername(name)).success, JSON.stringify(name)).toBe(true)
  }
  expect(usernameSchema.parse('Zoe\u0308')).toBe('Zoë')
})
