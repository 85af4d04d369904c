import { expect, test } from 'vitest'
import { coordinatesOf, takenTimeOf, takenTimeOfName, takenTimeOfUtc } from './taken-time.ts'

const vienna = { latitude: 48.2, longitude: 16.37 }

test.each([
  ['2007:02:19 14:20:11', '2007-02-19T14:20:11'],
  ['2007-02-19T14:20:11', '2007-02-19T14:20:11'],
  ['2007-02-19 14:20', '2007-02-19T14:20:00'],
  ['2007:02:19 14-20-11.52', '2007-02-19T14:20:11'],
  ['2007/02/19 14:20:11\0', '2007-02-19T14:20:11'],
  ['20070219 142011', '2007-02-19T14:20:11'],
  ['Mon, 19 Feb 2007 14:20:11', '2007-02-19T14:20:11'],
  ['2007:02:19', '2007-02-19T12:00:00'],
  ['1955:08:01 10:00:00', '1955-08-01T10:00:00'],
  ['1969:12:31 23:47:10', '1969-12-31T23:47:10'],
  ['1969:12:31', '1969-12-31T12:00:00'],
])('%j is read as local time', (text, local) => {
  expect(takenTimeOf(text)).toEqual({ local, at: new Date(`${local}Z`) })
})

test.each([
  ...['', '    :  :     :  :  ', '0000:00:00 00:00:00', '----:--:-- --:--:--', 'yesterday'],
  ...['1969:12:31 19:00:00', '1970:01:01 01:00:00', '1904:01:01 01:00:00'],
  ...['1970:01:01 00:00:00', '1904-01-01T00:00:00Z', '1980:01:01 00:00:00', '1825:12:31 10:00:00'],
  ...['2024:13:40 00:00:00', '2023:02:29 10:00:00', '2024:05:03 25:00:00', '2999:01:01 10:00:00'],
])('%j counts as missing', (text) => expect(takenTimeOf(text)).toBeNull())

test('the time zone comes from the text, the offset field or the location, and never changes the local time', () => {
  const local = '2024-07-14T09:28:00'
  const at = new Date('2024-07-14T07:28:00Z')
  expect(takenTimeOf('2024-07-14T09:28:00+0200', '-08:00')).toEqual({ local, at })
  expect(takenTimeOf('2024:07:14 09:28:00', '+02:00')).toEqual({ local, at })
  expect(takenTimeOf('2024:07:14 09:28:00', '+2')).toEqual({ local, at })
  expect(takenTimeOf('2024:07:14 09:28:00', '+99:00', vienna)).toEqual({ local, at })
  expect(takenTimeOfUtc('2024-07-14T07:28:00.000000Z', vienna)).toEqual({ local, at })
  expect(takenTimeOf('2024:12:31 23:30:00')?.local).toBe('2024-12-31T23:30:00')
})

test.each([
  ['IMG-20230815-WA0003.jpg', '2023-08-15T12:00:00'],
  ['VID-20190704-WA0001.mp4', '2019-07-04T12:00:00'],
  ['Screenshot_2022-11-03-18-45-12.jpg', '2022-11-03T18:45:12'],
  ['Screenshot 2023-04-12 at 3.05.09 PM.png', '2023-04-12T15:05:09'],
  ['Screenshot_20231108_203107_Chrome.jpg', '2023-11-08T20:31:07'],
  ['Screenshot_20231108_203107_Instagram.jpg', '2023-11-08T20:31:07'],
  ['Screenshot_20231108_121530_Telegram.jpg', '2023-11-08T12:15:30'],
  ['Screenshot 2023-04-12 at 20.31.07 am.png', '2023-04-12T20:31:07'],
  ['Screenshot 2023-04-12 at 12.05.09\u202fAM.png', '2023-04-12T00:05:09'],
  ['Captura de pantalla 2023-04-12 a las 3.05.09 p. m..png', '2023-04-12T15:05:09'],
  ['Captura de Pantalla 2023-04-12 a la(s) 15.05.09.png', '2023-04-12T15:05:09'],
  ['Capture d’e\u0301cran 2023-04-12 a\u0300 20.31.07.png', '2023-04-12T20:31:07'],
  ['signal-2021-05-06-07-08-09-123.jpg', '2021-05-06T07:08:09'],
  ['signal-2021-05-06-070809.jpg', '2021-05-06T07:08:09'],
  ['photo_2023-05-06_07-08-09.jpg', '2023-05-06T07:08:09'],
  ['PXL_20230412_081530123.jpg', '2023-04-12T08:15:30'],
  ['IMG20230815123456.jpg', '2023-08-15T12:34:56'],
  ['WhatsApp Image 2023-08-15 at 10.11.12.jpeg', '2023-08-15T10:11:12'],
  ['FB_IMG_1683356889123.jpg', '2023-05-06T07:08:09'],
])('the name %s contains the time taken', (name, local) => {
  expect(takenTimeOfName(name)?.local).toBe(local)
})

test.each(['IMG_2034.jpg', 'a20230815f3.jpg', '120230815.jpg', 'report 1999-2000.jpg', 'IMG_20231332.jpg'])(
  'the name %s contains no date',
  (name) => expect(takenTimeOfName(name)).toBeNull(),
)

test('0,0 and coordinates out of range are no location', () => {
  expect(coordinatesOf(0, 0)).toBeNull()
  expect(coordinatesOf(99, 16)).toBeNull()
  expect(coordinatesOf(0, 16)).toEqual({ latitude: 0, longitude: 16 })
})
