import { randomUUID } from 'node:crypto'
import type { Language, Reminder } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import type { AgentContext } from '../agent-kind.ts'
import { createReminder, type ReminderTools } from './reminder.ts'

/** A Wednesday, 10:00 in Madrid. */
const now = new Date('2026-05-06T08:00:00Z')
const callerIn = (language: Language, at = now): AgentContext => ({
  ...{ userId: 'a person', canSearchMemory: true, canReadStored: true, language, timeZone: 'Europe/Madrid' },
  now: at,
})

/** The agent over reminders that are kept in an array. */
function agentWith(texts: string[] = []) {
  const reminders: Reminder[] = []
  const actions: string[] = []
  const add = (text: string, due_at: Date, recurrence: Reminder['recurrence'] = null): Reminder => {
    const reminder: Reminder = {
      ...{ id: randomUUID(), text, due_at, recurrence, state: 'active', time_zone: 'Europe/Madrid' },
      ...{ fired_at: null, completed_at: null, created_at: now },
    }
    reminders.push(reminder)
    return reminder
  }
  for (const [n, text] of texts.entries()) add(text, new Date(now.getTime() + (n + 1) * 3_600_000))
  const byId = (id: string) => reminders.find((reminder) => reminder.id === id) as Reminder
  const tools: ReminderTools = {
    create: async (_userId, { text, due_at, recurrence }) => add(text, due_at, recurrence),
    list: async () => ({ reminders: [...reminders] }),
    snooze: async (_userId, id, minutes) => {
      actions.push(`snoozed ${byId(id).text} for ${minutes}`)
      return byId(id)
    },
    complete: async (_userId, id) => {
      actions.push(`completed ${byId(id).text}`)
      return { ...byId(id), state: 'completed' }
    },
    remove: async (_userId, id) => {
      actions.push(`deleted ${byId(id).text}`)
    },
  }
  return { agent: createReminder({ reminders: tools }), kept: reminders, done: actions }
}

// at 10:00 in Madrid
test.each<[Language, string, string, string]>([
  ['en', 'set a timer for 10 minutes', 'Timer', '10:10'],
  ['en', 'start a 1 hour 15 minute timer', 'Timer', '11:15'],
  ['en', '5 minute timer for the pizza', 'the pizza', '10:05'],
  ['en', 'wake me up at 7', 'Alarm', '07:00'],
  ['en', 'set my alarm for six tomorrow morning, please', 'Alarm', '06:00'],
  ['en', 'I need an alarm set for 8am tomorrow', 'Alarm', '08:00'],
  ['en', 'set an alarm to call mum at 5pm', 'call mum', '17:00'],
  ['de', 'Stelle einen Timer für 2 Stunden', 'Timer', '12:00'],
  ['de', 'Pizza Timer für 5 Minuten', 'Pizza', '10:05'],
  ['de', 'Stelle den Wecker auf 6:50 Uhr ein', 'Wecker', '06:50'],
  ['es', 'pon una alarma a las 7', 'Alarma', '07:00'],
  ['es', 'temporizador de 1 hora y 45 minutos', 'Temporizador', '11:45'],
  ['fr', 'Réveille-moi à 7 h', 'Alarme', '07:00'],
  ['fr', 'Mets un minuteur d’une heure', 'Minuteur', '11:00'],
  ['en', 'set a timer for twenty-five minutes', 'Timer', '10:25'],
  ['en', 'set a timer for forty-five minutes', 'Timer', '10:45'],
  ['en', 'set a timer for a quarter of an hour', 'Timer', '10:15'],
  ['en', 'set a timer for one and a half hours', 'Timer', '11:30'],
  ['en', 'set a timer for two and a half hours', 'Timer', '12:30'],
  ['en', 'set a timer for half an hour', 'Timer', '10:30'],
  ['en', 'twenty minute timer', 'Timer', '10:20'],
  ['de', 'zehn Minuten Timer', 'Timer', '10:10'],
  ['en', 'set a timer for two minutes and a half', 'Timer', '10:02'],
  ['en', 'set an alarm for twenty minutes', 'Alarm', '10:20'],
  ['fr', 'minuteur de vingt-cinq minutes', 'Minuteur', '10:25'],
  ['fr', 'minuteur de vingt minutes', 'Minuteur', '10:20'],
  ['fr', 'Mets un minuteur d’une demi-heure', 'Minuteur', '10:30'],
  ['fr', 'minuteur d’une heure et demie', 'Minuteur', '11:30'],
  ['es', 'temporizador de treinta y cinco minutos', 'Temporizador', '10:35'],
  ['es', 'temporizador de veinte minutos', 'Temporizador', '10:20'],
  ['es', 'pon un temporizador de hora y media', 'Temporizador', '11:30'],
  ['es', 'pon un temporizador de media hora', 'Temporizador', '10:30'],
  ['de', 'Timer auf anderthalb Stunden', 'Timer', '11:30'],
  ['de', 'Stelle einen Timer auf eine halbe Stunde', 'Timer', '10:30'],
  ['de', 'Stelle einen Timer auf zwanzig Minuten', 'Timer', '10:20'],
  ['de', 'Timer für fünfundvierzig Minuten', 'Timer', '10:45'],
  ['en', 'wake me up at seven', 'Alarm', '07:00'],
  ['en', 'wake me up at seven thirty', 'Alarm', '07:30'],
  ['en', 'wake me up at half past seven', 'Alarm', '07:30'],
  ['en', 'set an alarm for six thirty', 'Alarm', '06:30'],
  ['en', 'set an alarm for seven tomorrow', 'Alarm', '07:00'],
  ['en', 'set an alarm for quarter to seven', 'Alarm', '06:45'],
  ['en', 'set an alarm for ten past eight', 'Alarm', '08:10'],
  ['de', 'Stelle den Wecker auf halb acht', 'Wecker', '07:30'],
  ['de', 'Wecker auf sieben Uhr', 'Wecker', '07:00'],
])('a reminder is an alarm or a timer in %s: %s', async (language, sentence, text, clock) => {
  const { agent, kept } = agentWith()
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn(language))
  const time = kept[0]?.due_at.toLocaleTimeString('en-GB', { timeZone: 'Europe/Madrid', timeStyle: 'short' })
  expect([kept[0]?.text, time]).toEqual([text, clock])
})

test.each([
  'the alarm for smoke went off',
  'what alarm clock should I buy',
  'remind me of the address of my workplace',
  'the timer function of the oven',
  'call me a taxi to the airport at 5am',
  'the 5 minute timer in the recipe',
  'photos with a 10 second timer',
  'Timer für 5 Minuten im Rezept',
  'oven timer set for 30 minutes in the recipe',
  'alarm in the house',
  'alarma de la casa',
  'despertador de Ana',
  'temporizador de cocina',
  'le réveil de la princesse',
  'Alarm in der Firma',
  'wake me up before you go go',
  'what does the manual say about timers',
  'check the smoke alarms',
  'list of alarms in the contract',
  'how many alarms are in the house',
  'show me photos of alarms',
  'tell me about the car alarms from the insurance letter',
  '¿qué dice el manual de las alarmas?',
  'zeige Fotos der Wecker',
  'montre-moi les photos des alarmes',
])('no reminder is meant by “%s”', (sentence) => {
  expect(createReminder({ reminders: {} as ReminderTools }).confidence(sentence, callerIn('en'))).toBe(0)
})

test('an alarm is cancelled by its name alone', async () => {
  const { agent, done } = agentWith(['call Anna', 'Alarm'])
  await agent.run('cancel all alarms', callerIn('en'))
  expect(done).toEqual(['deleted Alarm'])
})

test.each([
  'delete the photo of the alarm clock',
  'remove the photos with the burglar alarm',
  'cancel the alarm company contract',
  'forget the alarm code',
  'Lösche das Foto vom Wecker',
  'borra la foto de la alarma',
  'supprime la photo de l’alarme',
  'delete the picture of the kitchen timer',
  'delete the letter about the payment reminder',
])('no reminder is deleted by “%s”', async (sentence) => {
  for (const language of ['en', 'de', 'es', 'fr'] as const) {
    const { agent, done } = agentWith(['Alarm'])
    expect(agent.confidence(sentence, callerIn(language))).toBe(0)
    await agent.run(sentence, callerIn(language)).catch(() => undefined)
    expect(done).toEqual([])
  }
})

test.each<[Language, string, string]>([
  ['en', 'cancel my alarm', 'Alarm'],
  ['en', 'cancel the 7 am alarm', 'Alarm'],
  ['en', 'cancel my morning alarm', 'Alarm'],
  ['en', 'delete the alarm for 7 am tomorrow', 'Alarm'],
  ['en', 'stop the timer', 'Timer'],
  ['en', 'cancel the 5 minute timer', 'Timer'],
  ['en', 'cancel my Anna reminder', 'call Anna'],
  ['en', 'stop reminding me to call Anna', 'call Anna'],
  ['de', 'lösche den Wecker', 'Wecker'],
  ['de', 'lösche alle Timer', 'Timer'],
  ['es', 'cancela la alarma de las 7', 'Alarma'],
  ['fr', 'supprime l’alarme', 'Alarme'],
])('alarms and timers are deleted in %s: %s', async (language, sentence, text) => {
  const { agent, done } = agentWith([text])
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn(language))
  expect(done).toEqual([`deleted ${text}`])
})

test('an alarm of another name is not deleted', async () => {
  const { agent, done } = agentWith(['Alarm'])
  await agent.run('cancel the alarm for the house', callerIn('en'))
  expect(done).toEqual([])
})

test.each<[Language, string]>([
  ['en', 'what alarms do I have set'],
  ['en', 'which alarms are set'],
  ['en', 'do I have any timers running'],
  ['en', 'show me all my alarms'],
  ['en', 'list of my reminders'],
  ['en', "what's on my reminder list?"],
  ['en', 'how many alarms do I have'],
  ['de', 'welche Wecker sind gestellt?'],
  ['es', '¿qué alarmas tengo?'],
  ['fr', 'quelles alarmes ai-je ?'],
])('reminders are listed in %s by “%s”', async (language, sentence) => {
  const { agent } = agentWith(['Alarm'])
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  expect((await agent.run(sentence, callerIn(language))).data).toMatchObject({ action: 'listed' })
})

test.each<[Language, string, string, Reminder['recurrence']]>([
  ['en', 'set a daily reminder to take pills at 8', 'take pills', { every: 1, unit: 'day', time: '08:00' }],
  [
    'en',
    'create a weekly reminder on Monday at 9am to pay Anna',
    'pay Anna',
    { every: 1, unit: 'week', time: '09:00' },
  ],
  ['en', 'set an hourly reminder to drink', 'drink', { every: 1, unit: 'hour' }],
  [
    'es',
    'pon un recordatorio diario para tomar pastillas a las 8',
    'tomar pastillas',
    { every: 1, unit: 'day', time: '08:00' },
  ],
  [
    'fr',
    'crée un rappel quotidien pour prendre les pilules à 8h',
    'prendre les pilules',
    { every: 1, unit: 'day', time: '08:00' },
  ],
  [
    'de',
    'erstelle eine tägliche Erinnerung an die Tabletten um 8 Uhr',
    'die Tabletten',
    { every: 1, unit: 'day', time: '08:00' },
  ],
])('a reminder named by its recurrence recurs (%s: %s)', async (language, sentence, text, recurrence) => {
  const { agent, kept } = agentWith()
  await agent.run(sentence, callerIn(language))
  expect(kept).toMatchObject([{ text, recurrence }])
})

describe('what a sentence asks to be reminded of', () => {
  test.each<[Language, string, string, string]>([
    ['en', 'Remind me to call Anna tomorrow at 5pm', 'call Anna', '2026-05-07T15:00:00.000Z'],
    ['en', 'remind me in 20 minutes to check the oven.', 'check the oven', '2026-05-06T08:20:00.000Z'],
    [
      'en',
      'please remind me on Friday at 9:30 about the meeting with Tom',
      'the meeting with Tom',
      '2026-05-08T07:30:00.000Z',
    ],
    ['en', 'set a reminder for tomorrow at noon: lunch with Eva', 'lunch with Eva', '2026-05-07T10:00:00.000Z'],
    ['en', 'tomorrow at 9am pay the rent', 'pay the rent', '2026-05-07T07:00:00.000Z'],
    ['es', 'Recuérdame llamar a Ana mañana a las 5 de la tarde', 'llamar a Ana', '2026-05-07T15:00:00.000Z'],
    ['es', 'recuérdame en 20 minutos que saque el pan', 'saque el pan', '2026-05-06T08:20:00.000Z'],
    ['es', 'pon un recordatorio para el viernes a las 9:30: reunión', 'reunión', '2026-05-08T07:30:00.000Z'],
    ['fr', 'Rappelle-moi d’appeler Anne demain à 17h', 'appeler Anne', '2026-05-07T15:00:00.000Z'],
    ['fr', 'rappelle-moi dans 20 minutes de sortir le pain', 'sortir le pain', '2026-05-06T08:20:00.000Z'],
    ['de', 'Erinnere mich morgen um 17 Uhr daran, Anna anzurufen', 'Anna anzurufen', '2026-05-07T15:00:00.000Z'],
    ['de', 'erinnere mich in 20 Minuten an den Tee', 'den Tee', '2026-05-06T08:20:00.000Z'],
    ['de', 'Remind me to buy milk tomorrow at 9', 'buy milk', '2026-05-07T07:00:00.000Z'],
    ['en', 'Could you please remind me tomorrow at 9 to call Anna?', 'call Anna', '2026-05-07T07:00:00.000Z'],
    ['es', '¿Puedes recordarme mañana a las 9:00 que llame a Ana?', 'llame a Ana', '2026-05-07T07:00:00.000Z'],
    ['fr', 'Peux-tu me rappeler demain à 9h d’appeler Anne ?', 'appeler Anne', '2026-05-07T07:00:00.000Z'],
    ['fr', 'Est-ce que tu peux me rappeler demain à 9h d’appeler Anne ?', 'appeler Anne', '2026-05-07T07:00:00.000Z'],
    [
      'de',
      'Kannst du mich bitte morgen um 9 Uhr an den Zahnarzt erinnern?',
      'den Zahnarzt',
      '2026-05-07T07:00:00.000Z',
    ],
    [
      'de',
      'Könntest du mich morgen um 9 Uhr daran erinnern, Anna anzurufen?',
      'Anna anzurufen',
      '2026-05-07T07:00:00.000Z',
    ],
    ['de', 'Erinnerst du mich morgen um 9 Uhr an den Tee?', 'den Tee', '2026-05-07T07:00:00.000Z'],
  ])('in %s: %s', async (language, sentence, text, due_at) => {
    const { agent, kept: reminders } = agentWith()
    const { data, output } = await agent.run(sentence, callerIn(language))
    expect(reminders.map((reminder) => [reminder.text, reminder.due_at.toISOString()])).toEqual([[text, due_at]])
    expect(data).toMatchObject({
      kind: 'reminders',
      action: 'created',
      reminders: [{ text, due_at, recurrence: null }],
    })
    expect(output).toContain(`**${text}**`)
  })

  test('again and again, in words', async () => {
    const { agent, kept: reminders } = agentWith()
    const { data } = await agent.run('remind me every Monday at 9 to water the plants', callerIn('en'))
    expect(reminders[0]).toMatchObject({
      text: 'water the plants',
      recurrence: { every: 1, unit: 'week', weekdays: [1], time: '09:00' },
    })
    expect(data).toMatchObject({ reminders: [{ recurrence: 'every week (Mon), 09:00' }] })
  })
})

describe('what cannot be done is said in the person’s language', () => {
  test.each<[Language, string, RegExp, string]>([
    ['en', 'remind me to rest in -3 minutes', /has passed/, 'time_passed'],
    ['en', 'remind me to rest yesterday at 9', /has passed/, 'time_passed'],
    ['en', 'remind me to rest', /When shall I/, 'no_time'],
    ['en', 'remind me to rest tomorrow', /At what time/, 'no_time'],
    ['en', 'remind me tomorrow at 9', /What shall I/, 'no_text'],
    ['en', 'hello there', /Say what to remind/, 'not_a_reminder'],
    ['en', `remind me in 5 minutes to ${'x'.repeat(501)}`, /at most 500/, 'too_long'],
    ['es', 'recuérdame descansar en -3 minutos', /ya ha pasado/, 'time_passed'],
    ['es', 'recuérdame descansar mañana', /A qué hora/, 'no_time'],
    ['fr', 'rappelle-moi de dormir dans -3 minutes', /est passée/, 'time_passed'],
    ['fr', 'rappelle-moi de dormir', /Quand/, 'no_time'],
    ['de', 'erinnere mich in -3 Minuten an den Tee', /vorbei/, 'time_passed'],
    ['de', 'erinnere mich an den Tee', /Wann/, 'no_time'],
  ])('in %s: %s', async (language, sentence, message, code) => {
    const { agent, kept: reminders } = agentWith()
    await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({
      message: expect.stringMatching(message),
      code,
      status: 400,
    })
    expect(reminders).toEqual([])
  })

  test('a time that clocks go over is named with its day, its zone and what to take instead', async () => {
    const winter = callerIn('en', new Date('2026-03-01T12:00:00Z'))
    const sentence = 'remind me on 29 March 2026 at 2:30 to sleep'
    await expect(agentWith().agent.run(sentence, winter)).rejects.toMatchObject({
      message:
        'There is no 2:30 on March 29, 2026 in Europe/Madrid: clocks go forward over it. Choose another time, such as 3:30.',
      code: 'time_skipped',
    })
  })
})

describe('reminders that are there', () => {
  const texts = ['call Anna', 'call Tom', 'water the plants']

  test.each<[Language, string, string]>([
    ['en', 'delete the reminder about the plants', 'deleted water the plants'],
    ['en', 'snooze the reminder to call Anna for 30 minutes', 'snoozed call Anna for 30'],
    ['en', 'snooze Tom until tomorrow at 10am', 'snoozed call Tom for 1441'],
    ['en', 'mark the reminder to call Tom as done', 'completed call Tom'],
    ['es', 'elimina el recordatorio de plants', 'deleted water the plants'],
    ['es', 'pospón el recordatorio de Anna 1 hora', 'snoozed call Anna for 60'],
    ['fr', 'supprime le rappel plants', 'deleted water the plants'],
    ['fr', 'reporte le rappel Anna de 15 minutes', 'snoozed call Anna for 15'],
    ['de', 'lösche die Erinnerung an plants', 'deleted water the plants'],
    ['de', 'verschiebe die Erinnerung an Anna um 2 Stunden', 'snoozed call Anna for 120'],
    ['de', 'verschiebe die Erinnerung an Anna um 2 h', 'snoozed call Anna for 120'],
    ['en', 'snooze Tom for 2 days', 'snoozed call Tom for 2880'],
    // a time of day, 37 seconds after a whole minute
    ['en', 'snooze Tom until 5pm', 'snoozed call Tom for 421'],
    ['en', 'snooze Tom until 17h', 'snoozed call Tom for 421'],
    ['en', 'snooze Tom until tomorrow 17 h', 'snoozed call Tom for 1861'],
    ['es', 'pospón el recordatorio de Anna hasta las 17 h', 'snoozed call Anna for 421'],
    ['es', 'pospón el recordatorio de Anna hasta las 17 horas', 'snoozed call Anna for 421'],
    ['es', 'pospón Anna hasta mañana 17h', 'snoozed call Anna for 1861'],
    ['fr', 'reporte le rappel Anna à demain 17h', 'snoozed call Anna for 1861'],
    ['fr', 'reporte le rappel Anna jusqu’à vendredi 17 heures', 'snoozed call Anna for 3301'],
    ['fr', 'reporte le rappel Anna vers 17 h 30', 'snoozed call Anna for 451'],
    ['de', 'verschiebe die Erinnerung an Anna bis 17 h', 'snoozed call Anna for 421'],
    ['de', 'verschiebe die Erinnerung an Anna auf morgen um 17 h', 'snoozed call Anna for 1861'],
  ])('in %s: %s', async (language, sentence, expected) => {
    const { agent, done: actions } = agentWith(texts)
    await agent.run(sentence, callerIn(language, new Date('2026-05-06T07:59:37Z')))
    expect(actions).toEqual([expected])
  })

  test.each<[Language, string, RegExp]>([
    ['en', 'snooze the reminder to call Anna until tomorrow', /At what time of that day/],
    ['es', 'pospón el recordatorio de Anna hasta mañana', /A qué hora/],
    ['fr', 'reporte le rappel Anna à demain', /heure/],
    ['de', 'verschiebe die Erinnerung an Anna bis Freitag', /Uhr/],
  ])('are not snoozed until a day without a time (%s: %s)', async (language, sentence, message) => {
    const { agent, done: actions } = agentWith(texts)
    await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({
      ...{ code: 'no_time', message: expect.stringMatching(message) },
    })
    expect(actions).toEqual([])
  })

  test('are not snoozed until a time that clocks go over', async () => {
    const winter = callerIn('en', new Date('2026-03-28T12:00:00Z'))
    const sentence = 'snooze the reminder to call Anna until tomorrow at 2:30am'
    await expect(agentWith(texts).agent.run(sentence, winter)).rejects.toMatchObject({ code: 'time_skipped' })
  })

  test.each<[Language, string, number]>([
    ['en', 'snooze the reminder until 17h', 420],
    ['es', 'pospón el recordatorio hasta las 17 h', 420],
    ['fr', 'reporte le rappel jusqu’à 17 heures', 420],
    ['de', 'verschiebe die Erinnerung bis 17 Uhr', 420],
    ['en', 'snooze the daily reminder', 10],
  ])('need no words where there is one (%s: %s)', async (language, sentence, minutes) => {
    const { agent, done: actions } = agentWith(['call Anna'])
    await agent.run(sentence, callerIn(language))
    expect(actions).toEqual([`snoozed call Anna for ${minutes}`])
  })

  test('are listed, the next one first', async () => {
    for (const [language, sentence, begin] of [
      ['en', 'list my reminders', 'You have 3 active reminders:'],
      ['es', '¿qué recordatorios tengo?', 'Tienes 3 recordatorios activos:'],
      ['fr', 'montre-moi mes rappels', 'Tu as 3 rappels actifs :'],
      ['de', 'zeige meine Erinnerungen', 'Du hast 3 aktive Erinnerungen:'],
    ] as const) {
      const { output, data } = await agentWith(texts).agent.run(sentence, callerIn(language))
      expect(output.startsWith(begin), output).toBe(true)
      expect(data).toMatchObject({ action: 'listed', reminders: texts.map((text) => ({ text })) })
    }
    expect((await agentWith().agent.run('my reminders', callerIn('en'))).output).toBe('You have no active reminders.')
  })

  test('that several words fit are asked about, and nothing is done', async () => {
    const { agent, done: actions } = agentWith(texts)
    const result = await agent.run('delete the reminder about the call', callerIn('en'))
    expect(result.output).toMatch(/^Which one do you mean\?/)
    expect(result.data).toMatchObject({ action: 'listed', reminders: [{ text: 'call Anna' }, { text: 'call Tom' }] })
    const none = await agent.run('delete the reminder about the dentist', callerIn('en'))
    expect(none.output).toMatch(/no active reminder about “dentist”/)
    expect(await agent.run('delete the reminder', callerIn('en'))).toMatchObject({ data: { action: 'listed' } })
    expect(actions).toEqual([])
  })
})

test('only sentences about reminders mean this agent, and only a list changes nothing', () => {
  const { agent } = agentWith()
  const caller = callerIn('en')
  const sure = [
    'remind me to rest in 5 minutes',
    'erinnere mich an den Tee',
    'recuérdame el té',
    'rappelle-moi le thé',
    'list my reminders',
  ]
  expect(sure.map((text) => agent.confidence(text, caller) >= 0.8)).toEqual(sure.map(() => true))
  const not = [
    'what does the reminder in the film say?',
    'tell me a joke',
    '15% of 80',
    'I remind people of Anna',
    'postpone the war',
  ]
  expect(not.map((text) => agent.confidence(text, caller) >= 0.8)).toEqual(not.map(() => false))
  expect(
    ['list my reminders', 'delete the reminder', 'rest in 5 minutes'].map((text) => agent.isReadOnly?.(text)),
  ).toEqual([true, false, false])
})
