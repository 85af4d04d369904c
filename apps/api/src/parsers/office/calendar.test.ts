import { expect, test } from 'vitest'
import { contactsIn, eventsIn, linesOfCalendar } from './calendar.ts'

test('a contact of an old phone is read, without its picture', async () => {
  const card = [
    'BEGIN:VCARD',
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;K=C3=A4the;;;',
    'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=A4the=20=',
    'M=C3=BCller',
    'TEL;CELL;PREF:+43 1 23',
    'PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ',
    ' SkZJRgABAQ',
    '',
    'END:VCARD',
  ].join('\r\n')
  expect(await linesOfCalendar(card)).toBe('Käthe Müller\nPhone: +43 1 23')
})

test('contacts of Apple have groups, parts and escaped signs', async () => {
  const card = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:Quibble;Ada;;Dr.;',
    'ORG:Fig Growers\\, Inc.;Jams',
    'item1.EMAIL;type=INTERNET:ada@example.org',
    'item1.X-ABLabel:_$!<Other>!$_',
    'ADR;type=HOME:;;Hauptstr. 1;Wien;;1010;Austria',
    'BDAY:19800503',
    'NOTE:likes figs\\nand a very lo',
    ' ng walk',
    'END:VCARD',
    'BEGIN:VCARD',
    'FN:Ottokar',
    'TEL;VALUE=uri:tel:+43-2',
    'END:VCARD',
  ].join('\n')
  expect((await linesOfCalendar(card))?.split('\n')).toEqual([
    ...[
      'Ada Quibble Dr.',
      'Fig Growers, Inc., Jams',
      'Mail: ada@example.org',
      'Address: Hauptstr. 1, Wien, 1010, Austria',
    ],
    ...['Birthday: 1980-05-03', 'Note: likes figs', 'and a very long walk', '', 'Ottokar', 'Phone: +43-2'],
  ])
})

test('tasks are read as events are, and other text is left as it is', async () => {
  const calendar =
    'BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Prune the figs\nDUE;VALUE=DATE:20240305\nEND:VTODO\nEND:VCALENDAR'
  expect(await linesOfCalendar(calendar)).toBe('Prune the figs\n2024-03-05')
  expect(await linesOfCalendar('Figs: three')).toBeNull()
})

test('a large address book is read whole, and gives way to others meanwhile', async () => {
  const cards = Array.from(
    { length: 9_000 },
    (_, n) => `BEGIN:VCARD\r\nFN:Person ${n}\r\nTEL:${n}\r\nEND:VCARD\r\n`,
  ).join('')
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const lines = await linesOfCalendar(cards)
  clearInterval(counting)
  expect(lines?.split('\n\n')).toEqual(Array.from({ length: 9_000 }, (_, n) => `Person ${n}\nPhone: ${n}`))
  expect(turns).toBeGreaterThan(1)
})

test('a contact with a large picture and an event with a large file keep what comes before and behind it', async () => {
  const file = Array.from({ length: 5_000 }, () => ` ${'A'.repeat(74)}`).join('\r\n')
  const card = `BEGIN:VCARD\r\nFN:Ada\r\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/\r\n${file}==\r\nTEL:1\r\nEND:VCARD\r\n`
  expect(await linesOfCalendar(card.repeat(2))).toBe('Ada\nPhone: 1\n\nAda\nPhone: 1')
  const attached = `ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA\r\n${file}\r\n`
  const event = `BEGIN:VEVENT\r\nSUMMARY:Figs\r\n${attached}DTSTART;VALUE=DATE:20240305\r\nEND:VEVENT\r\n`
  expect(await linesOfCalendar(`BEGIN:VCALENDAR\r\n${event.repeat(2)}END:VCALENDAR`)).toBe(
    'Figs\n2024-03-05\n\nFigs\n2024-03-05',
  )
})

test('an entry without an end does not hold others up', async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  expect(await linesOfCalendar(`BEGIN:VCARD\n${'TEL:1\n'.repeat(200_000)}`)).toBeNull()
  clearInterval(counting)
  expect(turns).toBeGreaterThan(1)
})

test('an event has its people, address, categories and comments', async () => {
  const event = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'SUMMARY:Choir',
    'DTSTART;VALUE=DATE:20240305',
    'ORGANIZER;CN="Quibble, Ada":mailto:ada@example.org',
    'ATTENDEE;ROLE=CHAIR;CN=Ottokar;RSVP=TRUE:MAILTO:ottokar@example.org',
    'ATTENDEE:mailto:bo@example.org',
    'URL:https://choir.example',
    'CATEGORIES:Music,Town',
    'COMMENT:Bring figs\\, please',
    'BEGIN:VALARM',
    'ATTENDEE:mailto:alarm@example.org',
    'END:VALARM',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'SUMMARY:Pruning',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')
  expect((await linesOfCalendar(event))?.split('\n')).toEqual([
    ...['Choir', '2024-03-05', 'Quibble, Ada <ada@example.org>', 'Ottokar <ottokar@example.org>', 'bo@example.org'],
    ...['https://choir.example', 'Music,Town', 'Bring figs, please', '', 'Pruning'],
  ])
})

test('values with line separators of Unicode are read whole', async () => {
  expect(await linesOfCalendar('BEGIN:VCARD\nFN:Ada\nNOTE:figs\u2028and\\\u2029quinces\nEND:VCARD')).toBe(
    'Ada\nNote: figs\u2028and\u2029quinces',
  )
})

test.each(['BEGIN:VCALENDAR\nX-WR-CALNAME:Choir\nEND:VCALENDAR', 'BEGIN:VCARD\nX-FIGS:3\nEND:VCARD'])(
  'a file without an entry is shown as it is: %j',
  async (text) => {
    expect(await linesOfCalendar(text)).toBeNull()
    expect((text.includes('VCARD') ? contactsIn : eventsIn)(text)).toBe(text)
  },
)
