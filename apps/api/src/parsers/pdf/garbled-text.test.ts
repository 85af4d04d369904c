import { describe, expect, test } from 'vitest'
import { isGarbled } from './garbled-text.ts'

const plain = {
  english:
    'The lamp oil was delivered by the harbour master. Members are asked to bring their lanterns to the meeting in the old lighthouse, where the treasurer reports on what was spent on wicks in the year.',
  german:
    'Die Mitglieder werden gebeten, ihre Laternen zur Versammlung im alten Leuchtturm mitzubringen, wo der Schatzmeister über die Ausgaben für Dochte und Öl im vergangenen Jahr berichten wird.',
  polish:
    'Członkowie proszeni są o przyniesienie swoich latarni na spotkanie w starej latarni morskiej, gdzie skarbnik przedstawi sprawozdanie z wydatków na knoty i olej w minionym roku.',
  welsh:
    'Gofynnir i aelodau ddod â’u llusernau i’r cyfarfod yn yr hen oleudy, lle bydd y trysorydd yn adrodd ar yr hyn a wariwyd ar wiciau ac olew yn ystod y flwyddyn ddiwethaf.',
  vietnamese:
    'Các thành viên được yêu cầu mang theo đèn lồng đến cuộc họp tại ngọn hải đăng cũ, nơi thủ quỹ báo cáo về số tiền đã chi cho bấc đèn và dầu trong năm vừa qua.',
  russian:
    'Просим членов общества принести свои фонари на собрание в старом маяке, где казначей доложит о расходах на фитили и масло за прошедший год (PDF, XML).',
  chinese: '請會員攜帶燈籠參加在舊燈塔舉行的會議，會計將報告去年燈芯和燈油的支出情況。'.repeat(5),
  arabic:
    'يُطلب من الأعضاء إحضار فوانيسهم إلى الاجتماع في المنارة القديمة حيث سيقدم أمين الصندوق تقريره عن النفقات.'.repeat(
      2,
    ),
  figures: Array.from({ length: 60 }, (_, index) => `${index * 1187 + 13}.${index % 90} EUR ${index} pcs`).join('\n'),
  code: 'static int xmlStrncpyWithFmt(const xmlChar *src, size_t len) {\n  if (ctxt->inputNr < 0 || (mtrx == NULL)) return -1;\n  memcpy(ptr, src, len * sizeof(xmlChar));\n}\n'.repeat(
    3,
  ),
  parts:
    'HX-220 BZ, QR7 M8x40 DIN 912, NPT ½", PTFE, EPDM, NBR, FKM, PVDF, PEEK, HNBR, ABS, PVC-U, PPH, SS316L. '.repeat(4),
}
const shifted = (by: number) => [...plain.english].map((one) => String.fromCharCode(one.charCodeAt(0) + by)).join('')

describe('a text layer', () => {
  test.each(Object.entries(plain))('of %s isn’t garbled', (_kind, text) => {
    expect(isGarbled(text)).toBe(false)
  })

  test.each([
    ['letters shifted by one', shifted(1)],
    ['letters shifted back by three', shifted(-3)],
    ['letters shifted far', shifted(29)],
    [
      'letters replaced by others',
      plain.german.replaceAll(/[a-z]/g, (one) => 'qzxjkvbpygfwmucldrhsnioate'[one.charCodeAt(0) - 97] ?? one),
    ],
    ['private characters', '\uf054\uf068\uf065 \uf06c\uf061\uf06d\uf070'.repeat(10)],
    ['glyph numbers', '(cid:12)(cid:88)(cid:3) '.repeat(40)],
    ['replacement characters', '\ufffd\ufffd\ufffd \ufffd\ufffd'.repeat(20)],
    [
      'Calibri without its Unicode table',
      'dŚĞ ůĂŵƉ Žŝů ǁĂƐ ĚĞůŝǀĞƌĞĚ ďǇ ƚŚĞ ŚĂƌďŽƵƌ ŵĂƐƚĞƌ ĂŶĚ ŵĞŵďĞƌƐ ĂƌĞ ĂƐŬĞĚ ƚŽ ďƌŝŶŐ ƚŚĞŝƌ ůĂŶƚĞƌŶƐ'.repeat(2),
    ],
    ['bytes read in another encoding', new TextDecoder('windows-1252').decode(Buffer.from(plain.polish))],
  ])('of %s is garbled', (_kind, text) => {
    expect(isGarbled(text)).toBe(true)
  })

  test('of a few words counts as not garbled, as there is too little to tell', () => {
    expect(isGarbled('Sfqpsu pg uif zfbs')).toBe(false)
  })
})
