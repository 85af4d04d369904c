import type { Language } from '@mira/shared'
import { expect, test } from 'vitest'
import { agentWith, callerIn } from '../../../../../test/reminder-agent.ts'

// now is 10:00 in Madrid
test.each<[Language, string, string, string]>([
  ['fr', 'rapelle moi de payer le loyer a 17h30', 'payer le loyer', '17:30'],
  ['fr', 'stp rappelle moi de sortir le chien dans 1h', 'sortir le chien', '11:00'],
  ['fr', 'met moi un rappel a 15h pour la réunion', 'la réunion', '15:00'],
  ['fr', 'fais moi penser à appeler papa ce soir à 19h', 'appeler papa', '19:00'],
  ['fr', 'n’oublie pas de me rappeler d’acheter du lait à 18h', 'acheter du lait', '18:00'],
  ['fr', 'je veux que tu me rappelles d’appeler julie à 11h', 'appeler julie', '11:00'],
  ['fr', 'tu me rappelles d’acheter des piles demain a 17h ?', 'acheter des piles', '17:00'],
  ['fr', 'rappel demain 9h appeler la banque', 'appeler la banque', '09:00'],
  ['fr', 'tu peux me réveiller à 8h demain', 'Alarme', '08:00'],
  ['fr', 'tu peux mettre un réveil à 7h', 'Alarme', '07:00'],
  ['fr', 'met le réveil a 7h stp', 'Alarme', '07:00'],
  ['fr', 'lance un timer de 8 min', 'Minuteur', '10:08'],
  ['fr', 'mets le timer à 10 min', 'Minuteur', '10:10'],
  ['fr', 'compte a rebours de 5 minutes', 'Minuteur', '10:05'],
  ['es', 'me puedes recordar tomar la pastilla a las 8 porfa', 'tomar la pastilla', '08:00'],
  ['es', 'me recuerdas comprar leche a las 6?', 'comprar leche', '18:00'],
  ['es', 'quiero que me recuerdes llamar a julia mañana a las 10', 'llamar a julia', '10:00'],
  ['es', 'avisame mañana a las 9 de la reunion', 'la reunion', '09:00'],
  ['es', 'pon un timer de 15 minutos', 'Temporizador', '10:15'],
  ['es', 'me recuerdas llamar a mi madre mañana a las 9', 'llamar a mi madre', '09:00'],
  ['es', 'me recuerdas a las 9 comprar pan', 'comprar pan', '09:00'],
  ['es', 'recordatorio a las 8: pastilla', 'pastilla', '08:00'],
  ['en', 'remind me in an hour and thirty minutes to call bob', 'call bob', '11:30'],
  ['en', 'remind me in an hour thirty to call bob', 'call bob', '11:30'],
  ['en', 'remind me in an hour three for the kids', 'three for the kids', '11:00'],
  ['fr', 'rappelle-moi dans une heure deux de ces trucs', 'deux de ces trucs', '11:00'],
  ['de', 'erinnere mich in einer stunde zwei an den bus', 'zwei an den bus', '11:00'],
  ['de', 'sag mir morgen um 8 bescheid, dass ich gehen muss', 'ich gehen muss', '08:00'],
  ['de', 'mach mir ne erinnerung um 15 uhr meeting', 'meeting', '15:00'],
  ['de', 'setz eine erinnerung auf freitag 9 uhr blumen', 'blumen', '09:00'],
  ['de', 'erinnerung morgen 8 uhr schlüssel mitnehmen', 'schlüssel mitnehmen', '08:00'],
  ['de', 'vergiss nicht mich in 45 min an die wäsche zu erinnern', 'die wäsche', '10:45'],
  ['de', 'kannst du mich um 8 dran erinnern die tabletten zu nehmen', 'die tabletten zu nehmen', '08:00'],
  ['de', 'kannst du mich um 6 wecken', 'Wecker', '06:00'],
  ['de', 'stell mal nen timer auf 8 minuten', 'Timer', '10:08'],
  ['de', 'nudel timer 9 minuten', 'nudel', '10:09'],
])('reads a request as people type it in %s: %s', async (language, sentence, text, clock) => {
  const { agent, reminders } = agentWith()
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn(language))
  const time = reminders[0]?.due_at.toLocaleTimeString('en-GB', { timeZone: 'Europe/Madrid', timeStyle: 'short' })
  expect([reminders[0]?.text, time]).toEqual([text, clock])
})

test.each<[Language, string]>([
  ['fr', 'je me suis réveillé à 7 h'],
  ['fr', 'le réveil a sonné à 7 h'],
  ['fr', 'rappelle-toi'],
  ['fr', 'il me rappelle mon père à chaque fois'],
  ['fr', 'je te rappelle demain à 18h'],
  ['fr', 'tu me rappelles quelqu’un'],
  ['fr', 'rappel de vaccin tétanos tous les 10 ans'],
  ['fr', 'rappelle-moi l’adresse du dentiste'],
  ['fr', 'rappelle moi comment s’appelle le chat de julie'],
  ['fr', 'rappelle-moi ce que j’ai écrit sur le bail'],
  ['fr', 'tu peux me rappeler ce qu’on a dit hier'],
  ['fr', 'me réveiller à 5h m’aide à mieux travailler'],
  ['fr', 'réveil de 7h à 8h sur france inter'],
  ['fr', 'chrono marathon en 3 heures'],
  ['fr', 'tu me rappelles de ne plus jamais faire ça demain'],
  ['fr', 'marque page dans un livre fait maison'],
  ['es', 'la alarma sonó a las 7'],
  ['es', 'me recuerdas a mi padre'],
  ['es', 'recuérdame cómo se llama el gato de julia'],
  ['es', 'recuerdame el nombre del restaurante'],
  ['es', 'recuérdame qué dijimos ayer'],
  ['es', 'avísame si llueve'],
  ['es', 'avísame si llueve mañana'],
  ['es', 'avísame si mañana a las 8 llueve'],
  ['es', 'recordatorio a la población: mañana se cambia la hora'],
  ['es', 'me recuerdas tanto a tu padre hoy'],
  ['es', 'despertarme a las 5 me ayuda a trabajar mejor'],
  ['es', 'marca de coches hecha en españa'],
  ['de', 'der wecker hat um 7 geklingelt'],
  ['de', 'erinnerst du mich an jemanden'],
  ['de', 'erinnere mich was wir gestern besprochen haben'],
  ['de', 'erinner mich mal wie das restaurant hieß'],
  ['de', 'mich wecken die vögel um 5'],
  ['de', 'sag mir bescheid wenn du fertig bist'],
  ['de', 'sag mir bescheid, wenn es um 8 regnet'],
  ['de', 'sag mir bescheid, falls es morgen um 10 regnet'],
  ['de', 'sag mir bescheid, wie das wetter morgen um 8 wird'],
  ['de', 'sag mir bescheid, ob du am freitag kommst'],
  ['de', 'sag mir morgen um 8 bescheid, wenn es regnet'],
  ['en', 'remind me what we said yesterday'],
  ['en', 'remind me the name of the restaurant'],
])('doesn’t take an ordinary sentence for a reminder in %s: %s', (language, sentence) => {
  expect(agentWith().agent.confidence(sentence, callerIn(language))).toBe(0)
})

// as in the tests of Home Assistant
test.each<[Language, string]>([
  ['en', 'pizza timer 5 minutes longer'],
  ['de', 'Pizza Timer 5 Minuten länger'],
  ['de', 'Wohnzimmer Timer 2 Stunden und 5 Minuten weniger'],
  ['de', 'Timer um fünfeinhalb Minuten verkürzen'],
  ['de', 'verlängere Timer für 20 Minuten um 30 Sekunden'],
  ['de', 'stoppe Timer für 30 Sekunden'],
  ['de', 'pausiere Timer für 5 Minuten'],
  ['de', 'setze Timer für 5 Minuten fort'],
  ['es', 'temporizador de 5 minutos más'],
  ['fr', 'minuteur pizza 5 minutes de plus'],
  ['fr', 'Mets le minuteur de 5 minutes en pause'],
  ['fr', 'Mets le minuteur de 5 min sur pause'],
])('sets no timer when a running one should change in %s: %s', async (language, sentence) => {
  const { agent, reminders } = agentWith()
  await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({ code: 'no_time' })
  expect(reminders).toEqual([])
})
