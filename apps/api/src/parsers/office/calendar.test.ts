import { expect, test } from 'vitest'
import { processorMs } from '../../../test/fastest.ts'
import { contactsIn, eventsIn, linesOfCalendar, withoutFiles } from './calendar.ts'

test('reads a contact of an old phone, without its photo', async () => {
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
  expect(await linesOfCalendar(card)).toBe('Käthe Müller\nPhone (mobile): +43 1 23')
})

test('reads Apple contacts with groups, structured values and escapes', async () => {
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
      'Dr. Ada Quibble',
      'Fig Growers, Inc., Jams',
      'Mail (Other): ada@example.org',
      'Address (home): Hauptstr. 1, Wien, 1010, Austria',
    ],
    ...['Birthday: 1980-05-03', 'Note: likes figs', 'and a very long walk', '', 'Ottokar', 'Phone: +43-2'],
  ])
})

test('reads related people, dates, profiles and messengers of Apple contacts with their labels', async () => {
  const card = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'FN:Ada Quibble',
    'TEL;type=WORK;type=FAX:905-1',
    'item1.TEL:905-2',
    'item1.X-ABLabel:_$!<AssistantPhone>!$_',
    'BDAY;X-APPLE-OMIT-YEAR=1604;value=date:1604-03-05',
    'item2.X-ABRELATEDNAMES;type=pref:Jenny',
    'item2.X-ABLabel:_$!<Spouse>!$_',
    'item3.X-ABDATE;type=pref:2009-08-08',
    'item3.X-ABLabel:_$!<Anniversary>!$_',
    'X-SOCIALPROFILE;type=twitter;x-user=ada:https://twitter.com/ada',
    'X-SKYPE-USERNAME:ada.q',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:4.0',
    'FN:Bo',
    'BDAY:--0203',
    'ANNIVERSARY:20090808T1430-0500',
    'RELATED;TYPE=spouse:urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'RELATED;VALUE=text;TYPE=friend:Cy',
    'X-SPOUSE:Di',
    'END:VCARD',
  ].join('\n')
  expect((await linesOfCalendar(card))?.split('\n')).toEqual([
    ...['Ada Quibble', 'Phone (work, fax): 905-1', 'Phone (AssistantPhone): 905-2', 'Messenger (skype): ada.q'],
    ...['Profile (twitter): https://twitter.com/ada', 'Birthday: 5 March', 'Anniversary: 2009-08-08', 'Spouse: Jenny'],
    ...['', 'Bo', 'Birthday: 3 February', 'Anniversary: 2009-08-08', 'Friend: Cy', 'Spouse: Di'],
  ])
})

const pieceBytes = 1_000
async function* inPieces(text: string) {
  for (let start = 0; start < text.length; start += pieceBytes) yield text.slice(start, start + pieceBytes)
}
const joined = async (pieces: AsyncIterable<string>) => {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

test('removes images and files from an address book, but none of its other lines and nothing from other texts', async () => {
  const base64 = '/9j/4AAQSkZJRg+A'.repeat(200)
  const files = [
    `PHOTO;ENCODING=b;TYPE=JPEG:${base64.replaceAll(/.{74}/g, '$&\n ')}==`,
    `PHOTO;JPEG;ENCODING=BASE64:${base64.replaceAll(/.{74}/g, '$&\n')}==\n`,
    `item1.LOGO:data:image/png;base64,${base64}`,
    `X-MS-CARDPICTURE;TYPE=JPEG;BASE64:${base64}`,
  ]
  for (const file of files) {
    const card = (lines: string) => `BEGIN:VCARD\nVERSION:3.0\n${lines}NOTE:Base64\nEND:VCARD\n`
    expect(await joined(withoutFiles(inPieces(card(`${file}\n`).repeat(3))))).toBe(card('').repeat(3))
  }
  const letter = `Dear Bo,\n${files.join('\n')}`
  expect(await joined(withoutFiles(inPieces(letter)))).toBe(letter)
})

test('keeps values that only start like a data URL', async () => {
  const card = 'BEGIN:VCARD\nFN:Ada\nNOTE:Data: allergic to nuts\nTEL;TYPE=constructor:1\nEND:VCARD'
  expect(await joined(withoutFiles(inPieces(card)))).toBe(card)
  expect(await linesOfCalendar(card)).toBe('Ada\nPhone: 1\nNote: Data: allergic to nuts')
  const event = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Data: migration planning\nEND:VEVENT\nEND:VCALENDAR'
  expect(await joined(withoutFiles(inPieces(event)))).toBe(event)
})

test('streams an endless line, and drops an endless file as it comes', async () => {
  const piece = 'figs '.repeat(2_000)
  let takenPieces = 0
  async function* endless(beginning: string) {
    yield beginning
    for (takenPieces = 0; takenPieces < 3_000; takenPieces++) yield piece
  }
  const streamed = withoutFiles(endless('BEGIN:VCARD\nNOTE:'))
  await streamed.next()
  expect((await streamed.next()).value).toBe(`NOTE:${piece}`)
  expect((await streamed.next()).value).toBe(piece)
  expect(takenPieces).toBeLessThan(3)
  const read = async () => {
    expect(await joined(withoutFiles(endless('BEGIN:VCARD\nPHOTO:')))).toBe('BEGIN:VCARD\n')
    expect((await joined(withoutFiles(endless('BEGIN:VCARD\nNOTE:')))).length).toBeGreaterThan(3_000 * piece.length)
  }
  expect(await processorMs(read)).toBeLessThan(3_000)
})

test('shows an address book whose cards have only photos without them', async () => {
  const card = 'BEGIN:VCARD\nVERSION:3.0\nPHOTO;ENCODING=b:/9j/4AAQSkZJ\n RgABAQ==\nUID:1\nEND:VCARD'
  expect(await linesOfCalendar(card)).toBe('BEGIN:VCARD\nVERSION:3.0\nUID:1\nEND:VCARD')
  expect(contactsIn(card.replaceAll('\n', '\r\n'))).toBe('BEGIN:VCARD\nVERSION:3.0\nUID:1\nEND:VCARD')
})

test('reads tasks like events, and returns null for other text', async () => {
  const calendar =
    'BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Prune the figs\nDUE;VALUE=DATE:20240305\nEND:VTODO\nEND:VCALENDAR'
  expect(await linesOfCalendar(calendar)).toBe('Prune the figs\n2024-03-05')
  expect(await linesOfCalendar('Figs: three')).toBeNull()
})

test('reads a large address book in full without blocking the event loop', async () => {
  const cards = Array.from(
    { length: 9_000 },
    (_, n) => `BEGIN:VCARD\r\nFN:Person ${n}\r\nTEL:${n}\r\nEND:VCARD\r\n`,
  ).join('')
  let ticks = 0
  const timer = setInterval(() => ticks++, 0)
  const lines = await linesOfCalendar(cards)
  clearInterval(timer)
  expect(lines?.split('\n\n')).toEqual(Array.from({ length: 9_000 }, (_, n) => `Person ${n}\nPhone: ${n}`))
  expect(ticks).toBeGreaterThan(1)
})

test('a contact with a large photo and an event with a large file keep the lines before and after it', async () => {
  const file = Array.from({ length: 5_000 }, () => ` ${'A'.repeat(74)}`).join('\r\n')
  const card = `BEGIN:VCARD\r\nFN:Ada\r\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/\r\n${file}==\r\nTEL:1\r\nEND:VCARD\r\n`
  expect(await linesOfCalendar(card.repeat(2))).toBe('Ada\nPhone: 1\n\nAda\nPhone: 1')
  const attached = `ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA\r\n${file}\r\n`
  const event = `BEGIN:VEVENT\r\nSUMMARY:Figs\r\n${attached}DTSTART;VALUE=DATE:20240305\r\nEND:VEVENT\r\n`
  expect(await linesOfCalendar(`BEGIN:VCALENDAR\r\n${event.repeat(2)}END:VCALENDAR`)).toBe(
    'Figs\n2024-03-05\n\nFigs\n2024-03-05',
  )
})

test('an unclosed entry doesn’t block the event loop', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 0)
  const unclosed = `BEGIN:VCARD\n${'TEL:1\n'.repeat(200_000)}`
  expect(await linesOfCalendar(unclosed)).toBe(unclosed)
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(1)
})

test('shows an event’s people, address, categories and comments', async () => {
  const event = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'SUMMARY:Choir',
    'DTSTART;VALUE=DATE:20240305',
    'ORGANIZER;CN="Quibble, Ada":mailto:ada@example.org',
    'ATTENDEE;ROLE=CHAIR;CN=Ottokar;RSVP=TRUE:MAILTO:ottokar@example.org',
    "ATTENDEE;CN=Bo ^'Fig^' Quibble:mailto:bo@example.org",
    "ATTENDEE;CN=Cy^nFig ^^n ^^'s:mailto:cy@example.org",
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
    ...['Choir', '2024-03-05', 'Quibble, Ada <ada@example.org>', 'Ottokar <ottokar@example.org>'],
    'Bo "Fig" Quibble <bo@example.org>',
    "Cy Fig ^n ^'s <cy@example.org>",
    ...['https://choir.example', 'Music,Town', 'Bring figs, please', '', 'Pruning'],
  ])
})

const eventOf = (...lines: string[]) =>
  eventsIn(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\n'))

test('shows an event’s recurrence and cancellation', () => {
  expect(
    eventOf('DTSTART:20240305T190000', 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20240601', 'STATUS:CANCELLED'),
  ).toBe('2024-03-05 19:00\nRepeats every 2 weeks on Tuesday, Thursday until 2024-06-01\nCancelled')
  expect(eventOf('SUMMARY:Ada', 'RRULE:FREQ=YEARLY')).toBe('Ada\nRepeats every year')
  expect(eventOf('SUMMARY:Choir', 'RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=6')).toBe(
    'Choir\nRepeats every month on last Friday 6 times',
  )
  expect(eventOf('SUMMARY:Choir', 'RRULE:FREQ=NEVER', 'STATUS:CONFIRMED')).toBe('Choir')
})

test('shows the days of a recurrence only when they can be stated exactly', () => {
  const days = (rule: string) => eventOf(`RRULE:FREQ=MONTHLY;${rule}`)
  expect(days('BYDAY=FR;BYSETPOS=-1')).toBe('Repeats every month on last Friday')
  for (const rule of ['BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'BYDAY=FR;BYSETPOS=1,3', 'BYDAY=-2FR', 'BYDAY=MO,-2FR'])
    expect(days(rule)).toBe('Repeats every month')
})

test('shows time zones, and the end of an event with a duration', () => {
  const [berlin, newYork] = ['TZID="/mozilla.org/20070129_1/Europe/Berlin"', 'TZID=America/New_York']
  expect(eventOf(`DTSTART;${berlin}:20240305T190000`, `DTEND;${berlin}:20240305T200000`)).toBe(
    '2024-03-05 19:00 – 2024-03-05 20:00 Europe/Berlin',
  )
  expect(eventOf(`DTSTART;${berlin}:20240305T100000`, `DTEND;${newYork}:20240305T130000`)).toBe(
    '2024-03-05 10:00 Europe/Berlin – 2024-03-05 13:00 America/New_York',
  )
  expect(eventOf(`DTSTART;${berlin}:20240305T100000`, `DTEND;${newYork}:20240305T100000`)).toBe(
    '2024-03-05 10:00 Europe/Berlin – 2024-03-05 10:00 America/New_York',
  )
  expect(eventOf(`DTSTART;${berlin}:20240305T100000`, `DTEND;${berlin}:20240305T100000`)).toBe(
    '2024-03-05 10:00 Europe/Berlin',
  )
  expect(eventOf('DTSTART:20240305T233000Z', 'DURATION:PT1H30M')).toBe('2024-03-05 23:30 UTC – 2024-03-06 01:00 UTC')
  expect(eventOf('DTSTART;VALUE=DATE:20240305', 'DURATION:P2D')).toBe('2024-03-05 – 2024-03-06')
  expect(eventOf('DTSTART;VALUE=DATE:20240305', 'DURATION:P1D')).toBe('2024-03-05')
  expect(eventOf('DTSTART:20240305T190000', 'DURATION:soon')).toBe('2024-03-05 19:00')
})

test('joins lines that are folded across empty ones', () => {
  expect(eventOf('SUMMARY', '', ' :Choir', '', ' practice', 'LOCATION:Hall')).toBe('Choirpractice\nHall')
  expect(eventOf('SUMMARY:Choir\r\r\n practice\r\r')).toBe('Choirpractice')
})

test('reads values with Unicode line separators in full', async () => {
  expect(await linesOfCalendar('BEGIN:VCARD\nFN:Ada\nNOTE:figs\u2028and\\\u2029quinces\nEND:VCARD')).toBe(
    'Ada\nNote: figs\u2028and\u2029quinces',
  )
})

test.each(['BEGIN:VCALENDAR\nX-WR-CALNAME:Choir\nEND:VCALENDAR', 'BEGIN:VCARD\nX-FIGS:3\nEND:VCARD'])(
  'shows a file without an entry as it is: %j',
  async (text) => {
    expect(await linesOfCalendar(text)).toBe(text.includes('VCARD') ? text : null)
    expect((text.includes('VCARD') ? contactsIn : eventsIn)(text)).toBe(text)
  },
)

test('shows a card without a contact, but without its photos and keys', () => {
  const card = 'BEGIN:VCARD\r\nPHOTO;ENCODING=b:/9j/\r\n AAAA\r\nX-FIGS:3\r\nitem1.KEY:AAAA\r\nlogo:AAAA\r\nEND:VCARD'
  expect(contactsIn(card)).toBe('BEGIN:VCARD\nX-FIGS:3\nEND:VCARD')
})
