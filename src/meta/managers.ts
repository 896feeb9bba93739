/** As kube-apiserver calls itself in managedFields where it writes by itself: by the name of its program. */
export const serverManager = 'kube-apiserver'
