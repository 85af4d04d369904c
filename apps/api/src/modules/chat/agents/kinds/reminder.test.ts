import type { Language, Reminder } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { agentWith, callerIn } from '../../../../../test/reminder-agent.ts'

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
])('lists reminders in %s for “%s”', async (language, sentence) => {
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
])(
  'creates a recurring reminder from its recurrence as an adjective (%s: %s)',
  async (language, sentence, text, recurrence) => {
    const { agent, reminders } = agentWith()
    await agent.run(sentence, callerIn(language))
    expect(reminders).toMatchObject([{ text, recurrence }])
  },
)

describe('creating a reminder', () => {
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
    const { agent, reminders } = agentWith()
    const { data, output } = await agent.run(sentence, callerIn(language))
    expect(reminders.map((reminder) => [reminder.text, reminder.due_at.toISOString()])).toEqual([[text, due_at]])
    expect(data).toMatchObject({
      kind: 'reminders',
      action: 'created',
      reminders: [{ text, due_at, recurrence: null }],
    })
    expect(output).toContain(`**${text}**`)
  })

  test.each<[Language, string, string]>([
    ['en', 'in 20 minutes: check the oven', 'check the oven'],
    ['en', 'Halloween at 6pm: sweets', 'sweets'],
    ['en', 'remind me to call Anna (tomorrow at 9)', 'call Anna'],
    ['en', 'remind me to call Anna (tomorrow at 9, urgent)', 'call Anna (urgent)'],
    ['en', 'remind me to call Anna, tomorrow at 9, and Bob', 'call Anna, and Bob'],
    ['en', 'remind me tomorrow at 9 — call Anna', 'call Anna'],
    ['en', 'remind me to call Anna tomorrow at 9!', 'call Anna'],
    ['en', 'remind me to call Anna tomorrow at 9. Ask about Bob', 'call Anna. Ask about Bob'],
    ['en', 'remind me in 20 min. to add -5 degrees', 'add -5 degrees'],
    ['es', 'Nochebuena: té a las 18:00', 'té'],
    ['es', 'recuérdame llamar a Ana (mañana a las 9)', 'llamar a Ana'],
    ['es', 'recuérdame mañana a las 9 a. m. llamar a Ana', 'llamar a Ana'],
    ['es', 'té en 20 min. con Ana', 'té con Ana'],
    ['fr', 'midi : prendre les pilules', 'prendre les pilules'],
    ['fr', 'rappelle-moi demain à 9h — appeler Anne', 'appeler Anne'],
    ['fr', 'rappelle-moi d’appeler Anne (demain à 9h) !', 'appeler Anne'],
    ['de', 'Tee für Mo. um 9', 'Tee'],
    ['de', 'Tee am Di. um 9 Uhr mit Anna', 'Tee mit Anna'],
    ['de', 'Erinnere mich, Anna anzurufen (morgen um 9 Uhr)', 'Anna anzurufen'],
    ['de', 'Erinnere mich morgen um 9 Uhr… Anna anrufen', 'Anna anrufen'],
  ])('keeps no punctuation of the time in %s: %s', async (language, sentence, text) => {
    const { agent, reminders } = agentWith()
    await agent.run(sentence, callerIn(language))
    expect(reminders.map((reminder) => reminder.text)).toEqual([text])
  })

  test('reads a Spanish time with “p. m.”', async () => {
    const { agent, reminders } = agentWith()
    await agent.run('recuérdame mañana a las 9 p. m. llamar a Ana', callerIn('es'))
    expect(reminders.map(({ due_at }) => due_at.toISOString())).toEqual(['2026-05-07T19:00:00.000Z'])
  })

  test('with a recurrence, described in words', async () => {
    const { agent, reminders } = agentWith()
    const { data } = await agent.run('remind me every Monday at 9 to water the plants', callerIn('en'))
    expect(reminders[0]).toMatchObject({
      text: 'water the plants',
      recurrence: { every: 1, unit: 'week', weekdays: [1], time: '09:00' },
    })
    expect(data).toMatchObject({ reminders: [{ recurrence: 'every week (Mon), 09:00' }] })
  })
})

describe('an impossible request is explained in the user’s language', () => {
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
    const { agent, reminders } = agentWith()
    await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({
      message: expect.stringMatching(message),
      code,
      status: 400,
    })
    expect(reminders).toEqual([])
  })

  test('with the day, time zone and an alternative for a time skipped by daylight saving', async () => {
    const winter = callerIn('en', new Date('2026-03-01T12:00:00Z'))
    const sentence = 'remind me on 29 March 2026 at 02:30 to sleep'
    await expect(agentWith().agent.run(sentence, winter)).rejects.toMatchObject({
      message:
        '2:30 doesn’t exist on March 29, 2026 in Europe/Madrid, because clocks go forward then. Choose another time, such as 3:30.',
      code: 'time_skipped',
    })
  })
})

describe('existing reminders', () => {
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
  ])('are changed in %s: %s', async (language, sentence, expected) => {
    const { agent, actions } = agentWith(texts)
    await agent.run(sentence, callerIn(language, new Date('2026-05-06T07:59:37Z')))
    expect(actions).toEqual([expected])
  })

  test.each<[Language, string, RegExp]>([
    ['en', 'snooze the reminder to call Anna until tomorrow', /At what time on that day/],
    ['es', 'pospón el recordatorio de Anna hasta mañana', /A qué hora/],
    ['fr', 'reporte le rappel Anna à demain', /heure/],
    ['de', 'verschiebe die Erinnerung an Anna bis Freitag', /Uhr/],
  ])('are not snoozed until a day without a time (%s: %s)', async (language, sentence, message) => {
    const { agent, actions } = agentWith(texts)
    await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({
      ...{ code: 'no_time', message: expect.stringMatching(message) },
    })
    expect(actions).toEqual([])
  })

  test('are not snoozed until a time skipped by daylight saving', async () => {
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
  ])('don’t have to be named when there is only one (%s: %s)', async (language, sentence, minutes) => {
    const { agent, actions } = agentWith(['call Anna'])
    await agent.run(sentence, callerIn(language))
    expect(actions).toEqual([`snoozed call Anna for ${minutes}`])
  })

  test('are listed, the next one first', async () => {
    for (const [language, sentence, prefix] of [
      ['en', 'list my reminders', 'You have 3 active reminders:'],
      ['es', '¿qué recordatorios tengo?', 'Tienes 3 recordatorios activos:'],
      ['fr', 'montre-moi mes rappels', 'Vous avez 3 rappels actifs\u00a0:'],
      ['de', 'zeige meine Erinnerungen', 'Du hast 3 aktive Erinnerungen:'],
    ] as const) {
      const { output, data } = await agentWith(texts).agent.run(sentence, callerIn(language))
      expect(output.startsWith(prefix), output).toBe(true)
      expect(data).toMatchObject({ action: 'listed', reminders: texts.map((text) => ({ text })) })
    }
    expect((await agentWith().agent.run('my reminders', callerIn('en'))).output).toBe('You have no active reminders.')
  })

  test('aren’t changed when several or none match, and the agent asks which one is meant', async () => {
    const { agent, actions } = agentWith(texts)
    const result = await agent.run('delete the reminder about the call', callerIn('en'))
    expect(result.output).toMatch(/^Which one do you mean\?/)
    expect(result.data).toMatchObject({ action: 'listed', reminders: [{ text: 'call Anna' }, { text: 'call Tom' }] })
    const none = await agent.run('delete the reminder about the dentist', callerIn('en'))
    expect(none.output).toMatch(/no active reminder about “dentist”/)
    expect(await agent.run('delete the reminder', callerIn('en'))).toMatchObject({ data: { action: 'listed' } })
    expect(actions).toEqual([])
  })
})

test('claims only sentences about reminders, and only listing is read-only', () => {
  const { agent } = agentWith()
  const caller = callerIn('en')
  const reminderSentences = [
    'remind me to rest in 5 minutes',
    'erinnere mich an den Tee',
    'recuérdame el té',
    'rappelle-moi le thé',
    'list my reminders',
  ]
  expect(reminderSentences.map((text) => agent.confidence(text, caller) >= 0.8)).toEqual(
    reminderSentences.map(() => true),
  )
  const unrelatedSentences = [
    'what does the reminder in the film say?',
    'tell me a joke',
    '15% of 80',
    'I remind people of Anna',
    'postpone the war',
  ]
  expect(unrelatedSentences.map((text) => agent.confidence(text, caller) >= 0.8)).toEqual(
    unrelatedSentences.map(() => false),
  )
  expect(
    ['list my reminders', 'delete the reminder', 'rest in 5 minutes'].map((text) => agent.isReadOnly?.(text)),
  ).toEqual([true, false, false])
})

describe('a reminder identified by its time', () => {
  test('is reported as missing when none is due then, instead of asking which one is meant', async () => {
    const { output } = await agentWith(['Alarm']).agent.run('cancel the 5 am alarm', callerIn('en'))
    expect(output).toMatch(/^You have no such reminder for that time\.\n\n- \*\*Alarm\*\*/)
    const tomorrow = agentWith([{ text: 'Alarm', due: '2026-05-06T17:00' }])
    const other = await tomorrow.agent.run('cancel the 7 pm alarm tomorrow', callerIn('en'))
    expect(other.output).toMatch(/^You have no such reminder for that time\./)
  })

  const workdays = { every: 1, unit: 'week', weekdays: [1, 2, 3, 4, 5], time: '07:00' } as const
  const at7 = '2026-05-06T05:00'
  test.each<[string, { due: string; recurrence?: Reminder['recurrence']; fired?: string }]>([
    ['cancel my alarm for Friday', { due: '2026-05-07T05:00', recurrence: { ...workdays, weekdays: [4, 5] } }],
    ['delete the alarm for 7 am on Friday', { due: '2026-05-07T05:00', recurrence: { ...workdays, weekdays: [4, 5] } }],
    ['cancel the 7 am alarm', { due: '2026-05-06T08:10', recurrence: { every: 1, unit: 'day', time: '07:00' } }],
    ['cancel the 7 am alarm', { due: '2026-05-06T08:10', fired: at7 }],
    ['delete the alarm for 7 am today', { due: at7, fired: at7 }],
    ['cancel my morning alarm', { due: '2026-05-06T11:10', fired: at7 }],
  ])(
    'may be one that recurs or fired at that time, so the agent asks: %s',
    async (sentence, { due, recurrence = null, fired }) => {
      const { agent, reminders, actions } = agentWith([{ text: 'Alarm', due }])
      for (const one of reminders) Object.assign(one, { recurrence, fired_at: fired ? new Date(`${fired}:02Z`) : null })
      const { output } = await agent.run(sentence, callerIn('en'))
      expect(output).toMatch(/^Which one do you mean\?/)
      expect(actions).toEqual([])
    },
  )

  test('is the one due then, not the one that fired last', async () => {
    const { agent, reminders, actions } = agentWith(['call Anna', 'call Tom'])
    for (const one of reminders.slice(0, 1)) one.fired_at = new Date('2026-05-06T07:30:00Z')
    await agent.run('complete the reminder for 12:00', callerIn('en'))
    expect(actions).toEqual(['completed call Tom'])
  })
})
