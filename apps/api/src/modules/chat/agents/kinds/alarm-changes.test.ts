import type { Language } from '@mira/shared'
import { expect, test } from 'vitest'
import { agentWith, callerIn } from '../../../../../test/reminder-agent.ts'
import { NotFoundError } from '../../../../errors.ts'
import { createReminder } from './reminder.ts'

test.each<[Language, string, string[]]>([
  ['en', 'cancel all my alarms', ['deleted Alarm', 'deleted Alarm']],
  ['en', 'delete all reminders', ['deleted call Anna', 'deleted Alarm', 'deleted Alarm']],
  ['en', 'mark all reminders as done', ['completed call Anna', 'completed Alarm', 'completed Alarm']],
  ['es', 'borra todas mis alarmas', ['deleted Alarm', 'deleted Alarm']],
  ['de', 'lösche alle meine Wecker', ['deleted Alarm', 'deleted Alarm']],
  ['fr', 'supprime toutes mes alarmes', ['deleted Alarm', 'deleted Alarm']],
  ['de', 'markiere alle Erinnerungen als erledigt', ['completed call Anna', 'completed Alarm', 'completed Alarm']],
  ['en', 'delete all active reminders', ['deleted call Anna', 'deleted Alarm', 'deleted Alarm']],
  ['es', 'marca hecho: call Anna', ['completed call Anna']],
  ['es', 'marca call Anna hecho', ['completed call Anna']],
  ['fr', 'marque call Anna fait', ['completed call Anna']],
  ['fr', 'marque fait : call Anna', ['completed call Anna']],
  ['en', 'delete both reminders', []],
  ['en', 'cancel all my alarms for tomorrow', []],
  ['en', 'cancel my alarms', []],
])('changes several at once only for a command about all of them in %s: %s', async (language, sentence, expected) => {
  const { agent, actions: done } = agentWith(['call Anna', 'Alarm', { text: 'Alarm', due: '2026-05-08T05:00' }])
  await agent.run(sentence, callerIn(language))
  expect(done).toEqual(expected)
})

test('cancels alarms but no other reminders', async () => {
  const { agent, actions } = agentWith(['call Anna', 'Alarm'])
  await agent.run('cancel all alarms', callerIn('en'))
  expect(actions).toEqual(['deleted Alarm'])
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
])('deletes no reminder for “%s”', async (sentence) => {
  for (const language of ['en', 'de', 'es', 'fr'] as const) {
    const { agent, actions } = agentWith(['Alarm'])
    expect(agent.confidence(sentence, callerIn(language))).toBe(0)
    await agent.run(sentence, callerIn(language)).catch(() => undefined)
    expect(actions).toEqual([])
  }
})

test.each<[Language, string, string, string?]>([
  ['en', 'cancel my alarm', 'Alarm'],
  ['en', 'cancel the 7 am alarm', 'Alarm', '2026-05-08T05:00'],
  ['en', 'cancel my morning alarm', 'Alarm'],
  ['en', 'delete the alarm for 7 am tomorrow', 'Alarm', '2026-05-07T05:00'],
  ['en', 'stop the timer', 'Timer'],
  ['en', 'cancel the 5 minute timer', 'Timer', '2026-05-06T08:05'],
  ['en', 'cancel my Anna reminder', 'call Anna'],
  ['en', 'stop reminding me to call Anna', 'call Anna'],
  ['de', 'lösche den Wecker', 'Wecker'],
  ['de', 'lösche alle Timer', 'Timer'],
  ['es', 'cancela la alarma de las 7', 'Alarma', '2026-05-07T05:00'],
  ['fr', 'supprime l’alarme', 'Alarme'],
  ['en', 'cancel the alarm for tomorrow', 'Alarm', '2026-05-07T05:00'],
  ['en', 'cancel the alarm at 7', 'Alarm', '2026-05-07T05:00'],
  ['de', 'lösche den Wecker um 7 Uhr', 'Wecker', '2026-05-07T05:00'],
  ['fr', "annule l'alarme de 7h", 'Alarme', '2026-05-07T05:00'],
  ['en', 'cancel the timer for the pizza', 'the pizza'],
  ['en', 'delete both alarms', 'Alarm'],
  ['en', 'cancel these alarms', 'Alarm'],
  ['en', 'delete every alarm', 'Alarm'],
  ['en', 'cancel the alarm for seven', 'Alarm', '2026-05-07T05:00'],
  ['de', 'lösche bitte den Wecker', 'Wecker'],
  ['de', 'lösche meinen Wecker', 'Wecker'],
  ['de', 'lösche den nächsten Wecker', 'Wecker'],
  ['es', 'borra todas las alarmas', 'Alarma'],
  ['es', 'cancela esta alarma', 'Alarma'],
  ['es', 'cancela la próxima alarma', 'Alarma'],
  ['fr', 'annule toutes les alarmes', 'Alarme'],
  ['fr', 'annule cette alarme', 'Alarme'],
  ['fr', 'annule la prochaine alarme', 'Alarme'],
  ['en', 'cancel the 7 am alarm tomorrow', 'Alarm', '2026-05-07T05:00'],
  ['es', 'borra la alarma de mañana', 'Alarma', '2026-05-07T05:00'],
  ['es', 'borra la alarma del viernes', 'Alarma', '2026-05-08T05:00'],
  ['es', 'borra la alarma de la una', 'Alarma', '2026-05-06T23:00'],
  ['fr', "supprime l'alarme de demain", 'Alarme', '2026-05-07T05:00'],
  ['fr', "supprime l'alarme de sept heures", 'Alarme', '2026-05-07T05:00'],
])('deletes an alarm, timer or reminder in %s: %s', async (language, sentence, text, due) => {
  const { agent, actions } = agentWith([due === undefined ? text : { text, due }])
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn(language))
  expect(actions).toEqual([`deleted ${text}`])
})

test.each<[Language, string]>([
  ['en', 'cancel the alarm for today'],
  ['de', 'lösche den Wecker für heute'],
  ['es', 'borra la alarma de hoy'],
  ['fr', "supprime l'alarme d'aujourd'hui"],
])('in the afternoon, “today” still finds an alarm later that day (%s)', async (language, sentence) => {
  const { agent, actions } = agentWith([{ text: 'Alarm', due: '2026-05-06T18:00' }])
  await agent.run(sentence, callerIn(language, new Date('2026-05-06T13:00:00Z')))
  expect(actions).toEqual(['deleted Alarm'])
})

test('cancelling a single day doesn’t delete a recurring alarm', async () => {
  const { agent, actions, reminders } = agentWith([{ text: 'Alarm', due: '2026-05-07T05:00' }])
  const [alarm] = reminders
  if (alarm) alarm.recurrence = { every: 1, unit: 'week', weekdays: [1, 2, 3, 4, 5], time: '07:00' }
  await agent.run('cancel my alarm for tomorrow', callerIn('en'))
  expect(actions).toEqual([])
  await agent.run('cancel my 7 am alarm', callerIn('en'))
  expect(actions).toEqual(['deleted Alarm'])
})

test('snoozes only the alarm due at the given time, and rejects an ambiguous new time', async () => {
  const { agent, actions } = agentWith([{ text: 'Alarm', due: '2026-05-07T05:00' }, 'Alarm'])
  await agent.run('snooze the 7 am alarm for 20 minutes', callerIn('en'))
  expect(actions).toEqual(['snoozed Alarm for 20'])
  await agent.run('snooze the 6 am alarm', callerIn('en'))
  await expect(agent.run('snooze the 7 am alarm until 8', callerIn('en'))).rejects.toMatchObject({ code: 'no_time' })
  expect(actions).toHaveLength(1)
})

test.each<[Language, string, number]>([
  ['en', 'snooze call mum for twenty minutes', 20],
  ['en', 'snooze call mum for an hour and a half', 90],
  ['en', 'snooze call mum for half an hour', 30],
  ['de', 'verschiebe die Erinnerung call mum um eine Stunde', 60],
  ['de', 'verschiebe die Erinnerung call mum um zehn Minuten', 10],
  ['es', 'pospón el recordatorio call mum media hora', 30],
  ['fr', 'reporte le rappel call mum d’une heure', 60],
  ['en', 'delay the alarm by ten minutes', 10],
  ['de', 'verschiebe den Wecker um eine halbe Stunde', 30],
  ['fr', 'reporte l’alarme d’une heure', 60],
])('snoozes for a duration given in words in %s: %s', async (language, sentence, minutes) => {
  const { agent, actions } = agentWith(['call mum', 'Alarm'])
  await agent.run(sentence, callerIn(language))
  expect(actions).toEqual([`snoozed ${/mum/u.test(sentence) ? 'call mum' : 'Alarm'} for ${minutes}`])
})

test('an hour without am or pm matches both, and nothing is deleted when both exist', async () => {
  const evening = { text: 'Alarm', due: '2026-05-07T17:00' }
  const { agent, actions } = agentWith([evening, 'Alarm'])
  await agent.run("cancel the 7 o'clock alarm", callerIn('en'))
  expect(actions).toEqual(['deleted Alarm'])
  const both = agentWith([evening, { text: 'Alarm', due: '2026-05-07T05:00' }])
  await both.agent.run("cancel the 7 o'clock alarm", callerIn('en'))
  expect(both.actions).toEqual([])
})

test('doesn’t delete an alarm with another name', async () => {
  const { agent, actions } = agentWith(['Alarm'])
  await agent.run('cancel the alarm for the house', callerIn('en'))
  expect(actions).toEqual([])
})

test.each<[Language, string, string]>([
  // ordinary reminders, not alarms
  ...[
    'cancel my alarm',
    'stop the alarm',
    'cancel all alarms',
    'delete the alarm for 7 am',
    'snooze the alarm',
    'mark the alarm as done',
    'cancel the alarm for the company',
  ].map((sentence): [Language, string, string] => ['en', sentence, 'pay the alarm company']),
  ['en', 'stop the timer', 'buy a kitchen timer'],
  ['en', 'cancel the timer for Anna', 'call Anna'],
  ['en', 'cancel the timer for the pizza', 'order pizza for the party'],
  // due at 11:00 today, an hour after it was set
  ...[
    'cancel the 5 am alarm',
    'cancel the 7 am alarm',
    'delete the alarm for 5 am tomorrow',
    'cancel the alarm for tomorrow',
    'delete my second alarm',
    'cancel the 20 minute timer',
    'cancel the alarm for 11 am on Friday',
    'cancel my evening alarm',
    'cancel the daily alarm',
    'cancel the 8 alarm',
  ].map((sentence): [Language, string, string] => ['en', sentence, 'Alarm']),
  ['en', 'cancel the 20 minute timer', 'Timer'],
  ['de', 'lösche den Wecker um 7', 'Wecker'],
  ['de', 'lösche den Wecker um 7 Uhr', 'Wecker'],
  ['es', 'cancela la alarma de las 7', 'Alarma'],
  ['es', 'cancela la alarma de la una', 'Alarma'],
  ['fr', "annule l'alarme de 7h", 'Alarme'],
  // words that aren't in its title
  ['en', 'delete the reminder to pay the rent', 'pay Anna'],
  ['en', 'delete the reminder about art', 'read the article'],
  ['en', 'delete the dentist reminder for tomorrow', 'dentist'],
])('lists a reminder instead of changing it when unsure in %s: %s (%s)', async (language, sentence, text) => {
  const { agent, actions } = agentWith([text])
  expect(await agent.run(sentence, callerIn(language))).toMatchObject({
    data: { action: 'listed', reminders: [{ text }] },
  })
  expect(actions).toEqual([])
})

test('says that there are none when all were deleted on another device meanwhile', async () => {
  const { reminders } = agentWith(['Alarm', 'Alarm'])
  const refuse = () => expect.unreachable()
  const agent = createReminder({
    reminders: {
      ...{ create: refuse, snooze: refuse, complete: refuse },
      list: async () => ({ reminders: [...reminders] }),
      remove: async () => {
        reminders.length = 0
        throw new NotFoundError('This reminder no longer exists.')
      },
    },
  })
  expect(await agent.run('cancel all my alarms', callerIn('en'))).toMatchObject({
    output: 'You have no active reminders.',
    data: { action: 'listed', reminders: [] },
  })
})

test.each<[string, string]>([
  ['delete the rent reminder', 'pay the rent'],
  ['cancel the dentist reminder', 'dentist'],
  ['delete dentist reminder', 'dentist'],
  ['delete my dentist reminder please', 'dentist'],
  ['delete my dentist reminder for today', 'dentist'],
  ["cancel today's dentist reminder", 'dentist'],
  ['delete the reminder called pay rent', 'pay rent'],
  ['delete the reminder I set for rent', 'pay the rent'],
  ['delete reminder: rent', 'pay the rent'],
  ['remove rent from my reminders', 'pay the rent'],
  ['delete all my plants reminders', 'water the plants'],
])('deletes a reminder by its name: %s', async (sentence, text) => {
  const { agent, actions } = agentWith([text, 'call Tom'])
  expect(agent.confidence(sentence, callerIn('en'))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn('en'))
  expect(actions).toEqual([`deleted ${text}`])
})
